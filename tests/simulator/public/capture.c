/* Graph capture: the checks of the acl layer. */
#include "../public.h"

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
    ENTER();
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamBeginCapture(stream, mode));
}

aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI, aclmdlRICaptureMode mode)
{
    ENTER();
    REQUIRE(stream && modelRI, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamBeginCaptureToModel(stream, modelRI, mode));
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI)
{
    ENTER();
    bool active = false;
    aclmdlRI graph = NULL;
    REQUIRE(stream && (status || modelRI), ACL_ERROR_INVALID_PARAM);
    aclError code = rtStreamGetCaptureInfo(stream, &active, &graph);
    REQUIRE(code == ACL_SUCCESS, code);
    if (status) {
        *status = active ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    }
    if (modelRI) {
        *modelRI = graph;
    }
    return ACL_SUCCESS;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
    ENTER();
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    REQUIRE(modelRI, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtStreamEndCapture(stream, modelRI));
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)
{
    ENTER();
    REQUIRE(stream && handle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsStreamBeginTaskUpdate(stream, handle));
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)
{
    ENTER();
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsStreamEndTaskUpdate(stream));
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
    ENTER();
    REQUIRE(mode, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtThreadExchangeCaptureMode(mode));
}

/* On the default stream, which it then waits for. */
aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
    ENTER();
    REQUIRE(modelRI, ACL_ERROR_INVALID_PARAM);
    REQUIRE(timeout > 0 || timeout == -1, ACL_ERROR_RT_PARAM_INVALID);
    aclError code = rtModelExecute(modelRI, NULL);
    ANSWER(code == ACL_SUCCESS ? rtStreamSynchronizeWithTimeout(NULL, timeout) : code);
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
    ENTER();
    REQUIRE(modelRI, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelExecute(modelRI, stream));
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
    ENTER();
    REQUIRE(modelRI, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelDestroy(modelRI));
}

aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag)
{
    ENTER();
    REQUIRE(modelRI, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsModelCreate(modelRI, flag));
}

aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag)
{
    ENTER();
    REQUIRE(modelRI && stream, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsModelBindStream(modelRI, stream, flag));
}

aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream)
{
    ENTER();
    REQUIRE(modelRI, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsEndGraph(modelRI, stream));
}

aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve)
{
    ENTER();
    REQUIRE(modelRI && !reserve, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsModelLoadComplete(modelRI));
}

aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream)
{
    ENTER();
    REQUIRE(modelRI && stream, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsModelUnbindStream(modelRI, stream));
}

aclError aclmdlRITaskSetParams(aclmdlRITask task, struct aclmdlRITaskParams *params)
{
    ENTER();
    REQUIRE(task && params, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtTaskSetParams(task, params));
}

aclError aclmdlRIUpdate(aclmdlRI modelRI)
{
    ENTER();
    REQUIRE(modelRI, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelUpdate(modelRI));
}
