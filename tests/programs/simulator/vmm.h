/* What the programs about virtual memory share. */
#ifndef VMM_H
#define VMM_H

#include "expect.h"

#define MIB ((size_t)1 << 20)
#define PAGE (2 * MIB)

__attribute__((unused)) static aclrtPhysicalMemProp propOf(int32_t device)
{
    return (aclrtPhysicalMemProp){
        .handleType = ACL_MEM_HANDLE_TYPE_NONE,
        .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
        .memAttr = ACL_HBM_MEM_HUGE,
        .location = {.id = (uint32_t)device, .type = ACL_MEM_LOCATION_TYPE_DEVICE},
    };
}

__attribute__((unused)) static aclrtDrvMemHandle physical(size_t size)
{
    aclrtDrvMemHandle handle = NULL;
    aclrtPhysicalMemProp prop = propOf(0);
    OK(aclrtMallocPhysical(&handle, size, &prop, 0));
    return handle;
}

__attribute__((unused)) static char *reserved(size_t size)
{
    void *address = NULL;
    OK(aclrtReserveMemAddress(&address, size, 0, NULL, 0));
    return address;
}

__attribute__((unused)) static size_t freeBytes(void)
{
    size_t left = 0, total = 0;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    return left;
}

#endif
