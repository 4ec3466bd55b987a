/* Device memory shared between processes, by key. */
#ifndef ACLSAN_RT_IPC_H
#define ACLSAN_RT_IPC_H

#include "../acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Length of a key including its terminator: the required value of `len`. */
#define ACLSAN_IPC_KEY_LENGTH 65

#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x1UL

#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO 0
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS 1

typedef enum {
    ACL_RT_IPC_MEM_ATTR_ACCESS_LINK,
} aclrtIpcMemAttrType;

typedef struct {
    uint32_t sdid;
    int32_t *pid;
    size_t num;
} aclrtServerPid;

/* The range has to start on a page of its block: 4 KiB, or 2 MiB or 1 GiB for huge ones. */
aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags);
/* The result is released with aclrtIpcMemClose(key), never with aclrtFree. A second import of the same key returns the same address
 * and requires a second close. */
aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags);
/* Importers first, the exporter last, then aclrtFree. */
aclError aclrtIpcMemClose(const char *key);
aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num);
aclError aclrtIpcMemSetAttr(const char *key, aclrtIpcMemAttrType type, uint64_t attr);
aclError aclrtIpcMemImportPidInterServer(const char *key, aclrtServerPid *serverPids, size_t num);

/* The process id that the driver uses, as required in a whitelist. */
aclError aclrtDeviceGetBareTgid(int32_t *pid);

#ifdef __cplusplus
}
#endif

#endif
