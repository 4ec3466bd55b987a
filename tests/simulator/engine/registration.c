/* Host memory registered for devices. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../cann.h"
#include "context.h"
#include "foreign.h"

struct registration {
    struct registration *next;
    uintptr_t host;
    uint64_t size;
    uintptr_t seen_at; /* the device's address; 0 if it is only pinned */
    int32_t device;
    bool pinned;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct registration *registrations;
/* Whether there was ever one. Copies ask without the lock, which all threads share. */
static _Atomic bool any;

/* The lock is held. The first one that shares a byte with the range. */
static struct registration *touching(uintptr_t host, uint64_t size)
{
    struct registration *at = registrations;
    while (at && (host + size <= at->host || at->host + at->size <= host)) {
        at = at->next;
    }
    return at;
}

static aclError enter(uintptr_t host, uint64_t size, int32_t device, bool mapped, bool pinned, uintptr_t *seen_at)
{
    aclError code = ACL_SUCCESS;
    struct registration *added = malloc(sizeof *added);
    if (!added) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *added = (struct registration){.host = host, .size = size, .device = device, .pinned = pinned};
    pthread_mutex_lock(&lock);
    if (touching(host, size)) {
        code = ACLSIM_AFTER_9_1 ? ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    } else if (mapped) {
        added->seen_at = foreignAdd((struct foreign){
            .kind = FOREIGN_REGISTERED, .device = device, .size = size, .page = 4096, .bytes = (char *)host,
        });
        code = added->seen_at ? ACL_SUCCESS : ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    if (code == ACL_SUCCESS) {
        added->next = registrations;
        registrations = added;
        any = true;
        *seen_at = added->seen_at;
    }
    pthread_mutex_unlock(&lock);
    if (code != ACL_SUCCESS) {
        free(added);
    }
    return code;
}

/* The documents ask for 4 KiB; the kernel module wants its own page, 64 KiB on many Arm machines. */
static bool isPageStart(const void *host)
{
    return (uintptr_t)host % (uintptr_t)sysconf(_SC_PAGESIZE) == 0;
}

aclError rtsHostRegister(void *host, uint64_t size, uint32_t type, void **seen_at)
{
    struct context *context = contextCurrent();
    if (type != ACL_HOST_REGISTER_MAPPED) { /* the other types are reserved */
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    if (!aclsimSoc()->has_registration) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    if (!isPageStart(host)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    uintptr_t address;
    aclError code = enter((uintptr_t)host, size, context->device, true, false, &address);
    if (code == ACL_SUCCESS) {
        *seen_at = (void *)address;
    }
    return code;
}

aclError rtHostRegisterV2(void *host, uint64_t size, uint32_t flags)
{
    const uint32_t known = ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;
    struct context *context = contextCurrent();
    if (flags == 0 || flags & ~known) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    bool reserved = flags & (ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY);
    if (reserved || !aclsimSoc()->has_registration) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    bool pinned = flags & ACL_HOST_REG_PINNED;
    if (!isPageStart(host) || (pinned && heapOf((uintptr_t)host))) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    uintptr_t unused;
    return enter((uintptr_t)host, size, context->device, flags & ACL_HOST_REG_MAPPED, pinned, &unused);
}

aclError rtHostGetDevicePointer(void *host, void **seen_at, uint32_t flags)
{
    aclError code = ACL_ERROR_RT_PARAM_INVALID;
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    pthread_mutex_lock(&lock);
    struct registration *at = touching((uintptr_t)host, 1);
    if (at && at->seen_at && flags == 0) {
        *seen_at = (void *)(at->seen_at + ((uintptr_t)host - at->host));
        code = ACL_SUCCESS;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* The lock is held. */
static void leave(struct registration **at)
{
    struct registration *gone = *at;
    *at = gone->next;
    if (gone->seen_at) {
        foreignDrop(gone->seen_at);
    }
    free(gone);
}

aclError rtsHostUnregister(void *host)
{
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    pthread_mutex_lock(&lock);
    struct registration **at = &registrations;
    while (*at && (*at)->host != (uintptr_t)host) {
        at = &(*at)->next;
    }
    bool found = *at != NULL;
    if (found) {
        leave(at);
    }
    pthread_mutex_unlock(&lock);
    return found ? ACL_SUCCESS : ACL_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

bool registrationHolds(uintptr_t address, bool *pinned)
{
    *pinned = false;
    if (!any) {
        return false;
    }
    pthread_mutex_lock(&lock);
    struct registration *at = touching(address, 1);
    bool found = at != NULL;
    *pinned = found && at->pinned;
    pthread_mutex_unlock(&lock);
    return found;
}

void registrationsDrop(int32_t device)
{
    pthread_mutex_lock(&lock);
    for (struct registration **at = &registrations; *at;) {
        if ((*at)->device == device) {
            leave(at);
        } else {
            at = &(*at)->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

aclError rtHostMemMapCapabilities(uint32_t device, uint32_t controller, uint32_t *capability)
{
    if (!deviceAt((int32_t)device)) {
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    if (controller > ACL_RT_HAC_TYPE_CCU) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    *capability = ACL_RT_HOST_MEM_MAP_SUPPORTED;
    return ACL_SUCCESS;
}

bool aclsimSeesHost(const void *address, uint64_t size)
{
    struct foreign range;
    if (!foreignFind((uintptr_t)address, &range) || range.kind != FOREIGN_REGISTERED) {
        return false;
    }
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)range.bytes + ((uintptr_t)address - range.base);
    uintptr_t first = start / page * page;
    return msync((void *)first, start + size - first, MS_ASYNC) == 0; /* It fails where nothing is mapped. */
}
