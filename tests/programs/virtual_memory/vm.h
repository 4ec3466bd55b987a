/* What the programs about virtual memory share. */
#ifndef PROGRAMS_VM_H
#define PROGRAMS_VM_H
#include "../rt.h"

#define PAGE ((size_t)2 << 20)

static inline char *reserved(size_t size) {
    void *range = NULL;
    MUST(aclrtReserveMemAddress(&range, size, 0, NULL, 0));
    return (char *)range;
}

static inline aclrtDrvMemHandle memory(size_t size) {
    aclrtPhysicalMemProp prop = {ACL_MEM_HANDLE_TYPE_NONE, ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_HBM_MEM_HUGE,
                                 {0, ACL_MEM_LOCATION_TYPE_DEVICE}, 0};
    aclrtDrvMemHandle handle = NULL;
    MUST(aclrtMallocPhysical(&handle, size, &prop, 0));
    return handle;
}

static inline void map(char *address, size_t size, aclrtDrvMemHandle handle) {
    MUST(aclrtMapMem(address, size, 0, handle, 0));
}

static inline void unmap(char *address, aclrtDrvMemHandle handle) {
    MUST(aclrtUnmapMem(address));
    MUST(aclrtFreePhysical(handle));
}
#endif
