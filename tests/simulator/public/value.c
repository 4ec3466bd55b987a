/* Reductions, values and caches: the checks of the acl layer. */
#include "../public.h"

aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count, aclrtReduceKind kind, aclDataType type,
                          aclrtStream stream, void *reserve)
{
    ENTER();
    REQUIRE(dst && src && !reserve, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsLaunchReduceAsyncTask(dst, src, count, kind, type, stream));
}

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    ENTER();
    REQUIRE(devAddr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsValueWrite(devAddr, value, flag, stream));
}

aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    ENTER();
    REQUIRE(devAddr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsValueWait(devAddr, value, flag, stream));
}

aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream)
{
    ENTER();
    (void)cmoType;
    REQUIRE(src && size, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtCmoAsync(src, size, stream));
}

aclError aclrtMemFlush(void *devPtr, size_t size)
{
    ENTER();
    REQUIRE(devPtr && size, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtFlushCache(devPtr, size));
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
    ENTER();
    REQUIRE(devPtr && size, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtFlushCache(devPtr, size));
}
