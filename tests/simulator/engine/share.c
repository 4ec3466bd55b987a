/* Memory handed to another process: a small record in /dev/shm says which file of which
 * process holds the bytes and who may have them; the importer opens that through /proc. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "virtual.h"

#define MOST_PROCESSES 64

struct record {
    int32_t process;
    int32_t file;
    uint64_t size, page;
    int32_t device;
    int32_t open_to_all;
    int32_t count;
    int32_t allowed[MOST_PROCESSES];
};

static void recordName(char *name, size_t room, uint64_t share)
{
    snprintf(name, room, "/dev/shm/aclsim-%u-%llx", (unsigned)getuid(), (unsigned long long)share);
}

static bool recordRead(uint64_t share, struct record *record)
{
    char name[64];
    recordName(name, sizeof name, share);
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    bool whole = read(file, record, sizeof *record) == (ssize_t)sizeof *record;
    close(file);
    return whole;
}

static bool recordWrite(uint64_t share, const struct record *record, int flags)
{
    char name[64];
    recordName(name, sizeof name, share);
    int file = open(name, O_WRONLY | O_CLOEXEC | flags, 0600);
    if (file < 0) {
        return false;
    }
    bool whole = write(file, record, sizeof *record) == (ssize_t)sizeof *record;
    close(file);
    return whole;
}

static uint64_t exported[4096]; /* of this process, for its end; a ring */
static unsigned exported_count;

__attribute__((destructor)) static void forgetRecords(void)
{
    for (unsigned i = 0; i < exported_count && i < sizeof exported / sizeof *exported; i++) {
        struct record record;
        char name[64];
        recordName(name, sizeof name, exported[i]);
        if (exported[i] && recordRead(exported[i], &record) && record.process == getpid()) {
            unlink(name);
        }
    }
}

void shareEnd(struct physical *physical)
{
    char name[64];
    if (physical->share && !physical->imported) {
        recordName(name, sizeof name, physical->share);
        unlink(name);
    }
    physical->share = 0;
}

/* The driver's layout: a number in the low half, the device above it. */
static uint64_t nextShare(int32_t device)
{
    uint64_t number = ((uint64_t)(uint32_t)getpid() << 10 & 0xfffffc00) | (exported_count & 0x3ff);
    return (uint64_t)(uint32_t)(device < 0 ? 0xff : device) << 32 | number;
}

aclError rtMemExportToShareableHandle(aclrtDrvMemHandle handle, uint64_t flags, uint64_t *shareable)
{
    struct physical *physical = handle;
    if (flags > ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    aclError code = ACL_ERROR_RT_PARAM_INVALID;
    virtualLock();
    if (physicalKnown(physical) && !physical->imported && !physical->share) {
        uint64_t share = nextShare(physical->device);
        struct record record = {
            .process = getpid(), .file = physical->file, .size = physical->size, .page = physical->page,
            .device = physical->device, .open_to_all = flags != 0,
        };
        code = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
        if (recordWrite(share, &record, O_CREAT | O_EXCL)) {
            exported[exported_count++ % (sizeof exported / sizeof *exported)] = share;
            physical->share = *shareable = share;
            code = ACL_SUCCESS;
        }
    }
    virtualUnlock();
    return code;
}

aclError rtMemSetPidToShareableHandle(uint64_t shareable, const int32_t *pids, uint32_t count)
{
    struct record record;
    if (!recordRead(shareable, &record) || count > (uint32_t)(MOST_PROCESSES - record.count)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    memcpy(record.allowed + record.count, pids, count * sizeof *pids);
    record.count += (int32_t)count;
    return recordWrite(shareable, &record, 0) ? ACL_SUCCESS : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

static bool isAllowed(const struct record *record)
{
    bool allowed = record->open_to_all;
    for (int32_t i = 0; i < record->count; i++) {
        allowed = allowed || record->allowed[i] == getpid();
    }
    return allowed;
}

aclError rtMemImportFromShareableHandle(uint64_t shareable, int32_t device, aclrtDrvMemHandle *handle)
{
    struct record record;
    if (!deviceAt(device)) {
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    if (!recordRead(shareable, &record)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (record.process == getpid() || !isAllowed(&record)) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd/%d", record.process, record.file);
    int file = open(name, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    virtualLock();
    struct physical *physical = physicalNew(file, record.size, record.page, device);
    if (physical) {
        physical->imported = true;
        physical->share = shareable;
        *handle = physical;
    }
    virtualUnlock();
    return physical ? ACL_SUCCESS : ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
}
