#include "../public.h"

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    ENTER();
    REQUIRE(context, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtCtxCreateEx(context, 0, deviceId));
}

aclError aclrtDestroyContext(aclrtContext context)
{
    ENTER();
    REQUIRE(context, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtCtxDestroyEx(context));
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    ENTER();
    REQUIRE(context, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtCtxSetCurrent(context));
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    ENTER();
    REQUIRE(context, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtCtxGetCurrent(context));
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
    ENTER();
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtCtxGetCurrentDefaultStream(stream));
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
    ENTER();
    uint32_t reserved;
    REQUIRE(active && !flags, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtGetPrimaryCtxState(deviceId, &reserved, active));
}
