/* Graph capture is refused, as on a chip without it. */
#include "../public.h"

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
    ENTER();
    (void)mode;
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI)
{
    ENTER();
    REQUIRE(stream && status, ACL_ERROR_INVALID_PARAM);
    *status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    if (modelRI) {
        *modelRI = NULL;
    }
    return ACL_SUCCESS;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
    ENTER();
    REQUIRE(stream && modelRI, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
    ENTER();
    (void)modelRI;
    (void)stream;
    ANSWER(ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
    ENTER();
    (void)modelRI;
    ANSWER(ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}
