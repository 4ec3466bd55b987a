/* Order of streams: the legacy one, blocking, non-blocking and per-thread ones, and events. */
#include <pthread.h>

#include "expect.h"

#define SYNC "stream synchronization behavior"

static sem_t gate;

static void setFlag(void *flag)
{
    *(int *)flag = 1;
}

static void legacyWaitsForBlocking(void)
{
    CUstream blocking, other;
    int reached = 0, elsewhere = 0;
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuLaunchHostFunc(blocking, waitForGate, &gate));
    OK(cuLaunchHostFunc(NULL, setFlag, &reached));
    EXPECT_CODE(SYNC, CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
    OK(cuLaunchHostFunc(other, setFlag, &elsewhere));
    OK(cuStreamSynchronize(other)); /* would hang if it took part */
    EXPECT(SYNC, !reached);
    sem_post(&gate);
    OK(cuStreamSynchronize(NULL));
    EXPECT(SYNC, reached);
    OK(cuStreamDestroy(blocking));
    OK(cuStreamDestroy(other));
}

static void blockingWaitsForLegacy(void)
{
    CUstream blocking;
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    OK(cuLaunchHostFunc(CU_STREAM_LEGACY, waitForGate, &gate));
    int reached = 0;
    OK(cuLaunchHostFunc(blocking, setFlag, &reached));
    EXPECT_CODE(SYNC, CUDA_ERROR_NOT_READY, cuStreamQuery(blocking));
    sem_post(&gate);
    OK(cuStreamSynchronize(blocking));
    EXPECT(SYNC, reached);
    EXPECT_CODE(SYNC, CUDA_SUCCESS, cuStreamQuery(CU_STREAM_LEGACY));
    OK(cuStreamDestroy(blocking));
}

static void *ownStreamIsIdle(void *context)
{
    OK(cuCtxSetCurrent(context));
    EXPECT_CODE("per-thread default stream: one a thread", CUDA_SUCCESS, cuStreamQuery(CU_STREAM_PER_THREAD));
    return NULL;
}

static void eachThreadHasItsOwn(CUcontext context)
{
    pthread_t thread;
    OK(cuLaunchHostFunc(CU_STREAM_PER_THREAD, waitForGate, &gate));
    EXPECT_CODE(SYNC, CUDA_ERROR_NOT_READY, cuStreamQuery(CU_STREAM_PER_THREAD));
    EXPECT("it is a blocking stream", cuStreamQuery(NULL) == CUDA_ERROR_NOT_READY);
    pthread_create(&thread, NULL, ownStreamIsIdle, context);
    pthread_join(thread, NULL);
    sem_post(&gate);
    OK(cuCtxSynchronize());
}

static void eventsOrder(void)
{
    CUstream first, second;
    CUevent event, end;
    float milliseconds = -1;
    int reached = 0;
    OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    EXPECT_CODE("an event without a record is complete", CUDA_SUCCESS, cuEventQuery(event));
    EXPECT_CODE("no time without a record", CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, event, end));
    OK(cuLaunchHostFunc(first, waitForGate, &gate));
    OK(cuEventRecord(event, first));
    OK(cuEventRecord(end, first));
    OK(cuStreamWaitEvent(second, event, 0));
    OK(cuLaunchHostFunc(second, setFlag, &reached));
    EXPECT_CODE("not reached", CUDA_ERROR_NOT_READY, cuEventQuery(event));
    EXPECT_CODE("not reached", CUDA_ERROR_NOT_READY, cuEventElapsedTime(&milliseconds, event, end));
    EXPECT("the wait holds", cuStreamQuery(second) == CUDA_ERROR_NOT_READY && !reached);
    sem_post(&gate);
    OK(cuStreamSynchronize(second));
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime(&milliseconds, event, end));
    EXPECT("time passes forward", reached && milliseconds >= 0);
    OK(cuEventDestroy(event));
    EXPECT_CODE("a stale handle", CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
    OK(cuEventDestroy(end));
    OK(cuStreamDestroy(first));
    EXPECT_CODE("a stale handle", CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(first));
    OK(cuStreamDestroy(second));
}

static void callDriver(void *code)
{
    CUdeviceptr address;
    *(CUresult *)code = cuMemAlloc(&address, 16);
}

static void destroyedStreamEndsItsWork(void)
{
    CUstream stream;
    CUevent event;
    CUresult code = CUDA_SUCCESS;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cuLaunchHostFunc(stream, waitForGate, &gate));
    OK(cuLaunchHostFunc(stream, callDriver, &code));
    OK(cuEventRecord(event, stream));
    OK(cuStreamDestroy(stream)); /* returns immediately */
    sem_post(&gate);
    OK(cuEventSynchronize(event));
    EXPECT_CODE("host functions must not call the driver", CUDA_ERROR_NOT_PERMITTED, code);
    OK(cuEventDestroy(event));
}

int main(void)
{
    CUcontext context = begin();
    sem_init(&gate, 0, 0);
    legacyWaitsForBlocking();
    blockingWaitsForLegacy();
    eachThreadHasItsOwn(context);
    eventsOrder();
    destroyedStreamEndsItsWork();
    return 0;
}
