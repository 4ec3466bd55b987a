/* Managed memory: what the acl layer checks itself. */
#include "../public.h"

aclError aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag)
{
    ENTER();
    REQUIRE(ptr && flag == ACL_RT_MEM_ATTACH_GLOBAL, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemAllocManaged(ptr, size, flag, 0));
}

aclError aclrtMemManagedAdvise(const void *const ptr, uint64_t size, aclrtMemManagedAdviseType advise,
                               aclrtMemManagedLocation location)
{
    ENTER();
    REQUIRE(ptr && size, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemManagedAdvise(ptr, size, (uint32_t)advise, location));
}

aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void *ptr, size_t size, void *data,
                                size_t dataSize)
{
    ENTER();
    REQUIRE(ptr && data && size, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemManagedGetAttr((uint32_t)attribute, ptr, size, data, dataSize));
}

aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes, size_t numAttributes, const void *ptr,
                                 size_t size, void **data, size_t *dataSizes)
{
    ENTER();
    REQUIRE(ptr && attributes && data && dataSizes && size, ACL_ERROR_INVALID_PARAM);
    aclError code = ACL_SUCCESS;
    for (size_t i = 0; i < numAttributes && code == ACL_SUCCESS; i++) {
        code = data[i] ? rtMemManagedGetAttr((uint32_t)attributes[i], ptr, size, data[i], dataSizes[i])
                       : ACL_ERROR_RT_PARAM_INVALID;
    }
    ANSWER(code);
}

aclError aclrtMemManagedPrefetchAsync(const void *ptr, size_t size, aclrtMemManagedLocation location, uint32_t flags,
                                      aclrtStream stream)
{
    ENTER();
    REQUIRE(ptr && size && flags == 0, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemManagedPrefetchAsync(ptr, size, location, flags, stream));
}

/* prefetchLocs[k] holds from operation prefetchLocIdxs[k] on. */
aclError aclrtMemManagedPrefetchBatchAsync(const void **ptrs, size_t *sizes, size_t count,
                                           aclrtMemManagedLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                           size_t numPrefetchLocs, uint64_t flags, aclrtStream stream)
{
    ENTER();
    REQUIRE(ptrs && sizes && prefetchLocs && prefetchLocIdxs && count && numPrefetchLocs && flags == 0 &&
                count >= numPrefetchLocs,
            ACL_ERROR_INVALID_PARAM);
    for (size_t i = 0; i < numPrefetchLocs; i++) {
        bool rises = i == 0 ? prefetchLocIdxs[0] == 0 : prefetchLocIdxs[i] > prefetchLocIdxs[i - 1];
        REQUIRE(rises && prefetchLocIdxs[i] < count, ACL_ERROR_RT_PARAM_INVALID);
    }
    aclError code = ACL_SUCCESS;
    for (size_t i = 0, place = 0; i < count && code == ACL_SUCCESS; i++) {
        place += place + 1 < numPrefetchLocs && prefetchLocIdxs[place + 1] == i;
        code = ptrs[i] ? rtMemManagedPrefetchAsync(ptrs[i], sizes[i], prefetchLocs[place], 0, stream)
                       : ACL_ERROR_RT_PARAM_INVALID;
    }
    ANSWER(code);
}
