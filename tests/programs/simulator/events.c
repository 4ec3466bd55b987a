//@ run
/* Events: host edges, edges between streams, timestamps. */
#include "expect.h"

static sem_t gate;

static aclrtEventRecordedStatus recordedStatus(aclrtEvent event)
{
    aclrtEventRecordedStatus status;
    OK(aclrtQueryEventStatus(event, &status));
    return status;
}

static aclrtEventStatus oldStatus(aclrtEvent event)
{
    aclrtEventStatus status;
    OK(aclrtQueryEvent(event, &status));
    return status;
}

static void edgeBetweenStreams(aclrtStream producer, aclrtStream consumer, char *d)
{
    aclrtEvent event;
    aclrtEventWaitStatus waiting;
    char now[64];
    OK(aclrtCreateEvent(&event));
    EXPECT_CODE("2: inverted numbering", ACL_EVENT_RECORDED_STATUS_NOT_READY, recordedStatus(event));
    EXPECT_CODE("3.13", ACL_EVENT_STATUS_COMPLETE, oldStatus(event));
    EXPECT_CODE("3.13: wait for what was never recorded", ACL_ERROR_RT_PARAM_INVALID,
                aclrtStreamWaitEvent(consumer, event));
    OK(aclrtLaunchHostFunc(producer, waitForGate, &gate));
    OK(aclsimLaunchWrite(d, 64, 1, producer));
    OK(aclrtRecordEvent(event, producer));
    OK(aclrtStreamWaitEvent(consumer, event));
    OK(aclsimLaunchCopy(d + 64, d, 64, consumer));
    EXPECT_CODE("2", ACL_EVENT_RECORDED_STATUS_NOT_READY, recordedStatus(event));
    EXPECT_CODE("2", ACL_EVENT_STATUS_NOT_READY, oldStatus(event));
    OK(aclrtQueryEventWaitStatus(event, &waiting));
    EXPECT("2", waiting == ACL_EVENT_WAIT_STATUS_NOT_READY);
    EXPECT_CODE("3.13", ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event, 1));
    sem_post(&gate);
    OK(aclrtSynchronizeEvent(event));
    EXPECT_CODE("2", ACL_EVENT_RECORDED_STATUS_COMPLETE, recordedStatus(event));
    EXPECT_CODE("2", ACL_EVENT_STATUS_COMPLETE, oldStatus(event));
    OK(aclrtSynchronizeStream(consumer));
    OK(aclrtQueryEventWaitStatus(event, &waiting));
    EXPECT("2", waiting == ACL_EVENT_WAIT_STATUS_COMPLETE);
    OK(aclsimRead(d + 64, now, 64));
    EXPECT("3.13: cross-stream edge", isFilled(now, 1, 64));
    OK(aclrtResetEvent(event, consumer));
    OK(aclrtSynchronizeStream(consumer));
    EXPECT_CODE("probe event.reset: the record stays", ACL_EVENT_RECORDED_STATUS_COMPLETE, recordedStatus(event));
    OK(aclrtDestroyEvent(event));
    EXPECT_CODE("simulator: stale handle", ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordEvent(event, producer));
}

/* A wait uses the latest record at the time of the call. */
static void laterRecordsDoNotMoveAWait(aclrtStream first, aclrtStream second)
{
    aclrtEvent event;
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    EXPECT_CODE("simulator: Ex form", ACL_EVENT_RECORDED_STATUS_COMPLETE, recordedStatus(event));
    OK(aclrtStreamWaitEvent(second, event));
    OK(aclrtRecordEvent(event, first));
    OK(aclrtStreamWaitEvent(second, event));
    OK(aclrtLaunchHostFunc(first, waitForGate, &gate));
    OK(aclrtRecordEvent(event, first));
    OK(aclrtSynchronizeStream(second)); /* would hang if it waited for the second record */
    EXPECT_CODE("3.13: re-record", ACL_EVENT_RECORDED_STATUS_NOT_READY, recordedStatus(event));
    sem_post(&gate);
    OK(aclrtSynchronizeStream(first));
    OK(aclrtDestroyEvent(event));
}

/* Nor does one on another stream that is done first. */
static void laterRecordsElsewhereDoNotEndAWait(aclrtStream first, aclrtStream second, char *d)
{
    aclrtStream other;
    aclrtEvent event;
    char now[64];
    OK(aclrtCreateStream(&other));
    OK(aclrtCreateEvent(&event));
    OK(aclrtLaunchHostFunc(first, waitForGate, &gate));
    OK(aclsimLaunchWrite(d, 64, 5, first));
    OK(aclrtRecordEvent(event, first));
    OK(aclrtStreamWaitEvent(second, event));
    OK(aclsimLaunchCopy(d + 64, d, 64, second));
    OK(aclrtRecordEvent(event, other));
    OK(aclrtSynchronizeStream(other));
    EXPECT_CODE("3.13: the latest is done", ACL_EVENT_RECORDED_STATUS_COMPLETE, recordedStatus(event));
    EXPECT_CODE("3.13: the wait is for the first", ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                aclrtSynchronizeStreamWithTimeout(second, 1));
    sem_post(&gate);
    OK(aclrtSynchronizeStream(second));
    OK(aclsimRead(d + 64, now, 64));
    EXPECT("3.13: the latest record at the call", isFilled(now, 5, 64));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(other));
}

static void timestamps(aclrtStream stream)
{
    aclrtEvent start, end, untimed;
    float ms = -1;
    uint64_t at = 0;
    OK(aclrtCreateEventWithFlag(&start, ACL_EVENT_TIME_LINE));
    OK(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE));
    OK(aclrtCreateEventWithFlag(&untimed, ACL_EVENT_SYNC));
    EXPECT("simulator: unrecorded", aclrtEventElapsedTime(&ms, start, end) != ACL_SUCCESS);
    OK(aclrtRecordEvent(start, stream));
    OK(aclrtRecordEvent(end, stream));
    OK(aclrtRecordEvent(untimed, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtEventElapsedTime(&ms, start, end));
    EXPECT("3.13", ms >= 0);
    OK(aclrtEventGetTimestamp(end, &at));
    EXPECT("3.13", at > 0);
    EXPECT_CODE("simulator: no time line", ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                aclrtEventElapsedTime(&ms, start, untimed));
    OK(aclrtDestroyEvent(start));
    OK(aclrtDestroyEvent(end));
    OK(aclrtDestroyEvent(untimed));
}

/* A stream that waits forever can still be ended by force. */
static void forcedEnd(aclrtStream busy)
{
    aclrtStream stuck;
    aclrtEvent event;
    OK(aclrtCreateStream(&stuck));
    OK(aclrtCreateEvent(&event));
    OK(aclrtLaunchHostFunc(busy, waitForGate, &gate));
    OK(aclrtRecordEvent(event, busy));
    OK(aclrtStreamWaitEvent(stuck, event));
    OK(aclrtDestroyStreamForce(stuck));
    sem_post(&gate);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyEvent(event));
}

int main(void)
{
    aclrtStream one, two;
    char *d;
    sem_init(&gate, 0, 0);
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStream(&two));
    OK(aclrtMalloc((void **)&d, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    edgeBetweenStreams(one, two, d);
    laterRecordsDoNotMoveAWait(one, two);
    laterRecordsElsewhereDoNotEndAWait(one, two, d);
    timestamps(one);
    forcedEnd(one);
    OK(aclrtDestroyStream(one));
    OK(aclrtDestroyStream(two));
    return 0;
}
