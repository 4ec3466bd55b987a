/* Snapshots of the process. Before CANN 9.2 the calls have no arguments. */
#ifndef ACLSAN_RT_SNAPSHOT_H
#define ACLSAN_RT_SNAPSHOT_H

#include "../acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclrtSnapShotBackupArgs {
    uint32_t backupFlags;
    char reserved[60];
} aclrtSnapShotBackupArgs;

typedef struct aclrtSnapShotRestoreArgs {
    uint32_t restoreFlags;
    char reserved[60];
} aclrtSnapShotRestoreArgs;

/* The device's state is taken away, and brought back; only of the calling process. */
aclError aclrtSnapShotProcessLock(int pid, void *reserve);
aclError aclrtSnapShotProcessUnlock(int pid, void *reserve);
aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs *args);
aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs *args);

#ifdef __cplusplus
}
#endif

#endif
