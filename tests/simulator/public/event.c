#include "../public.h"

/* The runtime's own flag for the order of streams, a time line and the stream's progress. */
#define EVENT_ORDINARY (0x4u | ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS)

aclError aclrtCreateEvent(aclrtEvent *event)
{
    ENTER();
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    ANSWER(aclsimEventCreate(event, EVENT_ORDINARY, false));
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

/* With the second flag a graph records it each time that it runs, for those outside. */
aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)
{
    ENTER();
    REQUIRE(event && flag <= ACL_EVENT_RECORD_EXTERNAL, ACL_ERROR_INVALID_PARAM);
    ANSWER(flag == ACL_EVENT_RECORD_EXTERNAL ? rtEventRecordOutside(event, stream) : rtEventRecord(event, stream));
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
    REQUIRE(timeout != 0, ACL_ERROR_RT_PARAM_INVALID);
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
    REQUIRE(timeout >= 0, ACL_ERROR_RT_PARAM_INVALID);
    REQUIRE(event, ACL_ERROR_RT_PARAM_INVALID); /* the acl layer leaves it to the runtime */
    ANSWER(rtStreamWaitEvent(stream, event));
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag)
{
    ENTER();
    REQUIRE(event && flag <= ACL_EVENT_WAIT_EXTERNAL, ACL_ERROR_INVALID_PARAM);
    REQUIRE(flag == ACL_EVENT_WAIT_DEFAULT || timeout == 0, ACL_ERROR_INVALID_PARAM);
    ANSWER(flag == ACL_EVENT_WAIT_EXTERNAL ? rtStreamWaitEventOutside(stream, event) : rtStreamWaitEvent(stream, event));
}

/* Only of events that were made for it; the name takes part of the handle. */
aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle)
{
    ENTER();
    REQUIRE(handle && event, ACL_ERROR_INVALID_PARAM);
    REQUIRE(aclsimSoc()->has_values, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    ANSWER(rtIpcGetEventHandle(event, handle->reserved, sizeof handle->reserved));
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event)
{
    ENTER();
    REQUIRE(event, ACL_ERROR_INVALID_PARAM);
    REQUIRE(aclsimSoc()->has_values, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    handle.reserved[sizeof handle.reserved - 1] = 0;
    ANSWER(rtIpcOpenEventHandle(handle.reserved, event));
}
