//@ run
/* Graph capture: captured tasks, forbidden calls, results. */
#include <pthread.h>

#include "expect.h"

#pragma weak aclrtRecordEventWithFlag /* 9.1.0 has none */

static char *block;

static void *copyElsewhere(void *code)
{
    char byte;
    OK(aclrtSetDevice(0));
    EXPECT_CODE("3.13: other threads", *(aclError *)code, aclrtMemcpy(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtResetDevice(0));
    return NULL;
}

static void otherThread(aclError wanted)
{
    pthread_t thread;
    pthread_create(&thread, NULL, copyElsewhere, &wanted);
    pthread_join(thread, NULL);
}

int main(void)
{
    aclrtStream stream;
    aclmdlRI graph;
    aclrtEvent event, edge;
    char byte = 0, *pinned;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    OK(aclrtCreateEventExWithFlag(&edge, ACL_EVENT_SYNC));
    OK(aclrtMalloc((void **)&block, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost((void **)&pinned, 256));
    OK(aclrtMemset(block, 256, 0, 256));
    EXPECT_CODE("3.13", ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureEnd(stream, &graph));
    aclrtEvent external;
    OK(aclrtCreateEventExWithFlag(&external, ACL_EVENT_SYNC));
    if (aclrtRecordEventWithFlag) {
        EXPECT_CODE("runtime HEAD: for graphs alone", ACL_ERROR_RT_STREAM_NOT_CAPTURED,
                    aclrtRecordEventWithFlag(external, stream, ACL_EVENT_RECORD_EXTERNAL));
    }
    OK(aclrtDestroyEvent(external));
    OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    EXPECT_CODE("3.13", ACL_ERROR_RT_STREAM_CAPTURED, aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    EXPECT_CODE("3.13: sync copies", ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                aclrtMemcpy(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_CODE("3.13: sync sets", ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, aclrtMemset(block, 1, 0, 1));
    EXPECT_CODE("5.3: pageable memory elsewhere", ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
                aclrtMemcpyAsync(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
    EXPECT_CODE("3.13: synchronise", ACL_ERROR_RT_STREAM_CAPTURED, aclrtSynchronizeStream(stream));
    EXPECT_CODE("3.13: device", ACL_ERROR_RT_STREAM_CAPTURED, aclrtSynchronizeDevice());
    aclrtStreamStatus status;
    EXPECT_CODE("3.13: query", ACL_ERROR_RT_STREAM_CAPTURED, aclrtStreamQuery(stream, &status));
    otherThread(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    OK(aclmdlRICaptureThreadExchangeMode(&mode));
    EXPECT_CODE("3.13: a relaxed thread", ACL_SUCCESS, aclrtMemcpy(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclmdlRICaptureThreadExchangeMode(&mode));
    OK(aclrtMemsetAsync(block, 256, 3, 256, stream));
    OK(aclrtMemcpyAsync(pinned, 256, block, 256, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    EXPECT_CODE("api_impl.cc: events of the Ex form alone", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtRecordEvent(event, stream));
    OK(aclrtRecordEvent(edge, stream));
    aclrtEventRecordedStatus recorded;
    EXPECT_CODE("3.13: of the capture until it ends", ACL_ERROR_RT_EVENT_CAPTURED, aclrtQueryEventStatus(edge, &recorded));
    OK(aclmdlRICaptureEnd(stream, &graph));
    pinned[0] = 0;
    OK(aclrtSynchronizeStream(stream));
    OK(aclsimRead(block, &byte, 1));
    EXPECT("3.13: recorded, not run", byte == 0 && pinned[0] == 0);
    for (int i = 0; i < 2; i++) {
        OK(aclrtMemset(block, 256, 0, 256));
        OK(aclmdlRIExecuteAsync(graph, stream));
        OK(aclrtSynchronizeStream(stream));
        EXPECT("3.13: run as often as wanted", isFilled(pinned, 3, 256));
        memset(pinned, 0, 256);
    }
    OK(aclmdlRIExecute(graph, -1));
    EXPECT("3.13", isFilled(pinned, 3, 256));
    EXPECT_CODE("api_impl.cc, StreamBeginCaptureToModel: graphs of conditional tasks alone", ACL_ERROR_RT_PARAM_INVALID,
                aclmdlRICaptureToModelRIBegin(stream, graph, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclmdlRIDestroy(graph));
    EXPECT("3.13", aclmdlRIDestroy(graph) != ACL_SUCCESS);

    OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    otherThread(ACL_SUCCESS);
    EXPECT_CODE("3.13", ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, aclrtMemset(block, 1, 0, 1));
    OK(aclmdlRICaptureEnd(stream, &graph));
    OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtMemset(block, 1, 0, 1));
    OK(aclmdlRICaptureEnd(stream, &graph));
    return 0;
}
