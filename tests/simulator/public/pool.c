/* Stream-ordered pools: the checks of the acl layer. */
#include "../public.h"

#include <string.h>

aclError aclrtMemPoolCreate(aclrtMemPool *memPool, const aclrtMemPoolProps *poolProps)
{
    ENTER();
    static const unsigned char zeros[sizeof poolProps->reserved];
    REQUIRE(memPool && poolProps, ACL_ERROR_INVALID_PARAM);
    REQUIRE(poolProps->allocType == ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_ERROR_INVALID_PARAM);
    REQUIRE(poolProps->location.type == ACL_MEM_LOCATION_TYPE_DEVICE, ACL_ERROR_INVALID_PARAM);
    REQUIRE(memcmp(poolProps->reserved, zeros, sizeof zeros) == 0, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemPoolCreate(memPool, (int32_t)poolProps->location.id, poolProps->maxSize));
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool)
{
    ENTER();
    REQUIRE(memPool, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemPoolDestroy(memPool));
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value)
{
    ENTER();
    REQUIRE(memPool, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemPoolSetAttr(memPool, attr, value));
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value)
{
    ENTER();
    REQUIRE(memPool, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemPoolGetAttr(memPool, attr, value));
}

aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool, aclrtStream stream)
{
    ENTER();
    REQUIRE(ptr && memPool && stream, ACL_ERROR_INVALID_PARAM);
    if (size == 0) {
        return ACL_SUCCESS;
    }
    ANSWER(rtMemPoolMallocAsync(ptr, size, memPool, stream));
}

/* The stream is the runtime's to check: none is an internal error there. */
aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream)
{
    ENTER();
    REQUIRE(ptr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemPoolFreeAsync(ptr, stream));
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep)
{
    ENTER();
    REQUIRE(memPool, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemPoolTrimTo(memPool, minBytesToKeep));
}
