#include "../public.h"

aclError aclrtCreateEvent(aclrtEvent *event)
{
    ENTER();
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(aclsimEventCreate(event, 0, false));
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    ENTER();
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(aclsimEventCreate(event, flag, false));
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    ENTER();
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(aclsimEventCreate(event, flag, true));
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    ENTER();
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtEventDestroy(event));
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    ENTER();
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtEventRecord(event, stream));
}

/* What a graph records each time that it runs is not modelled: what is captured is refused, whatever the flag. */
aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)
{
    ENTER();
    REQUIRE(event && flag <= ACL_EVENT_RECORD_EXTERNAL, ACL_ERROR_INVALID_PARAM);
    if (flag == ACL_EVENT_RECORD_EXTERNAL) {
        bool captured;
        aclmdlRI graph;
        aclError code = rtStreamGetCaptureInfo(stream, &captured, &graph);
        REQUIRE(code == ACL_SUCCESS, code);
        REQUIRE(captured, ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    }
    ANSWER(rtEventRecord(event, stream));
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    ENTER();
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtEventReset(event, stream));
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    ENTER();
    REQUIRE(event && status, ACL_ERROR_INVALID_PARAM);
    bool complete = false;
    aclError code = aclsimEventQuery(event, &complete);
    REQUIRE(code == ACL_SUCCESS, code);
    *status = complete ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    ENTER();
    REQUIRE(event && status, ACL_ERROR_INVALID_PARAM);
    bool recorded = false;
    aclError code = aclsimEventQueryStatus(event, &recorded);
    REQUIRE(code == ACL_SUCCESS, code);
    *status = recorded ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    ENTER();
    REQUIRE(event && status, ACL_ERROR_INVALID_PARAM);
    bool complete = false;
    aclError code = aclsimEventQueryWaitStatus(event, &complete);
    REQUIRE(code == ACL_SUCCESS, code);
    *status = complete ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    ENTER();
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtEventSynchronizeWithTimeout(event, -1));
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    ENTER();
    REQUIRE(timeout >= -1, ACL_ERROR_RT_PARAM_INVALID);
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtEventSynchronizeWithTimeout(event, timeout));
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    ENTER();
    REQUIRE(ms && startEvent && endEvent, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtEventElapsedTime(ms, startEvent, endEvent));
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
    ENTER();
    REQUIRE(event && timestamp, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtEventGetTimeStamp(timestamp, event));
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    ENTER();
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamWaitEvent(stream, event));
}

/* The timeout belongs to the device's scheduler; here a wait ends with its record only. */
aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
    ENTER();
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    REQUIRE(timeout >= -1, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtStreamWaitEvent(stream, event));
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag)
{
    ENTER();
    (void)timeout;
    (void)flag;
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamWaitEvent(stream, event));
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
    ENTER();
    (void)timeout;
    return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    ENTER();
    (void)timeout;
    return ACL_SUCCESS;
}

/* Events of other processes: some chips have none (Ascend 950DT), and so it is here. */
aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle)
{
    ENTER();
    REQUIRE(handle && event, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event)
{
    ENTER();
    (void)handle;
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}
