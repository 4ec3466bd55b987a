/* Memory use by component of the device, and the kind of an address. */
#include "context.h"

/* Whole pages, cached ones included. The driver's names of its components are not public; these two are ours. */
size_t aclsimUsage(int32_t id, struct aclsim_usage usage[2])
{
    uint64_t now[2], most[2];
    heapUsage(&deviceAt(id)->heap, now, most);
    usage[0] = (struct aclsim_usage){"APP", now[0], most[0]};
    usage[1] = (struct aclsim_usage){"DVPP", now[1], most[1]};
    return 2;
}

/* ACL_RT_MEM_TYPE_RSVD is memory that the driver reserved, which no block here is. What is mapped into a reserved range is none
 * (the real runtime's answer). */
static uint32_t kindOf(const void *address)
{
    struct heap *heap = heapOf((uintptr_t)address);
    struct block block;
    if (heap && heap->device >= 0 && heapFind(heap, (uintptr_t)address, &block)) {
        return heapIsMedia(heap, (uintptr_t)address) ? ACL_RT_MEM_TYPE_DVPP : ACL_RT_MEM_TYPE_DEV;
    }
    return 0;
}

aclError rtsCheckMemType(void *const *addresses, uint32_t count, uint32_t kinds, uint32_t *result)
{
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        all = all && (kindOf(addresses[i]) & kinds);
    }
    *result = all;
    return ACL_SUCCESS;
}
