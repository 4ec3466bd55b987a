/* Reductions, values and caches: the checks of the acl layer. */
#include "../public.h"

/* The types that have a number in the runtime (acl/aclrt_impl/memory.cpp, kMapDataType). */
static bool isReducible(aclDataType type)
{
    switch (type) {
    case ACL_FLOAT:
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT4:
    case ACL_INT8:
    case ACL_INT16:
    case ACL_INT32:
    case ACL_UINT8:
    case ACL_UINT16:
    case ACL_UINT32:
        return true;
    default:
        return false;
    }
}

aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count, aclrtReduceKind kind, aclDataType type,
                          aclrtStream stream, void *reserve)
{
    ENTER();
    REQUIRE(dst && src && !reserve && isReducible(type), ACL_ERROR_INVALID_PARAM);
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
    REQUIRE(src && size, ACL_ERROR_INVALID_PARAM);
    REQUIRE((int)cmoType >= ACL_RT_CMO_TYPE_PREFETCH && cmoType <= ACL_RT_CMO_TYPE_FLUSH, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
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
