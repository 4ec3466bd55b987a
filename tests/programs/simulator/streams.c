//@ run
//@ run: ACLSIM_STREAM_DELAY_US=200
/* Streams run asynchronously and in order; pageable memory makes copies wait. */
#include "expect.h"

static sem_t gate;
static char *device_memory, *pinned;

static void pinnedIsAsynchronous(aclrtStream stream)
{
    aclrtStreamStatus status;
    char now[64];
    memset(pinned, 1, 4096);
    OK(aclrtMemset(device_memory, 4096, 0, 4096));
    OK(aclrtLaunchHostFunc(stream, waitForGate, &gate));
    OK(aclrtMemcpyAsync(device_memory, 4096, pinned, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtStreamQuery(stream, &status));
    EXPECT("3.13: not complete", status == ACL_STREAM_STATUS_NOT_READY);
    EXPECT("5.3: not copied", aclsimRead(device_memory, now, 64) == ACL_SUCCESS && isFilled(now, 0, 64));
    memset(pinned, 2, 4096); /* the classic hazard: reuse before the copy ran */
    sem_post(&gate);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtStreamQuery(stream, &status));
    EXPECT("3.13: complete", status == ACL_STREAM_STATUS_COMPLETE);
    OK(aclsimRead(device_memory, now, 64));
    EXPECT("peers 0.8: the later bytes arrived", isFilled(now, 2, 64));
}

static void openGate(void *unused)
{
    (void)unused;
    sem_post(&gate);
}

static void pageableIsSynchronous(aclrtStream stream, aclrtStream other)
{
    char pageable[64], now[64];
    memset(pageable, 3, 64);
    OK(aclrtLaunchHostFunc(stream, waitForGate, &gate));
    OK(aclrtLaunchHostFunc(other, openGate, NULL));
    OK(aclrtMemcpyAsync(device_memory, 4096, pageable, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    memset(pageable, 4, 64);
    OK(aclsimRead(device_memory, now, 64));
    EXPECT("5.3: drained, then copied in the call", isFilled(now, 3, 64));
}

static void stagedIsCopiedAtOnce(aclrtStream stream)
{
    char pageable[64], now[64];
    memset(pageable, 5, 64);
    OK(aclrtLaunchHostFunc(stream, waitForGate, &gate));
    OK(aclrtMemcpyAsync(device_memory, 4096, pageable, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream));
    memset(pageable, 6, 64); /* allowed: the runtime has its own copy */
    sem_post(&gate);
    OK(aclrtSynchronizeStream(stream));
    OK(aclsimRead(device_memory, now, 64));
    EXPECT("3.4: kind 5", isFilled(now, 5, 64));
}

static void releaseDoesNotWait(aclrtStream stream)
{
    void *block;
    char now[64];
    OK(aclrtMalloc(&block, 1000, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclrtMemset(block, 64, 0, 64));
    OK(aclrtLaunchHostFunc(stream, waitForGate, &gate));
    OK(aclsimLaunchWrite(block, 64, 7, stream));
    EXPECT_CODE("5.2: no synchronisation", ACL_SUCCESS, aclrtFree(block));
    EXPECT("5.2", !aclsimIsLive(block));
    sem_post(&gate);
    OK(aclrtSynchronizeStream(stream));
    OK(aclsimRead(block, now, 64));
    EXPECT("5.2: the kernel wrote into released memory", isFilled(now, 7, 64));

    OK(aclrtMalloc(&block, 1000, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclsimLaunchWrite(block, 64, 8, stream));
    OK(aclrtFreeWithDevSync(block));
    OK(aclsimRead(block, now, 64));
    EXPECT("3.1: FreeWithDevSync waits", isFilled(now, 8, 64));
}

static void handles(aclrtStream stream)
{
    aclrtContext mine, created;
    aclrtStream elsewhere;
    char other[16];
    OK(aclrtGetCurrentContext(&mine));
    EXPECT_CODE("3.4: host to host", ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                aclrtMemcpyAsync(other, 16, pinned, 16, ACL_MEMCPY_HOST_TO_HOST, stream));
    OK(aclrtCreateContext(&created, 0));
    OK(aclrtCreateStream(&elsewhere));
    EXPECT_CODE("3.4: stream of another context", ACL_ERROR_RT_STREAM_CONTEXT,
                aclrtMemcpyAsync(device_memory, 16, pinned, 16, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtSetCurrentContext(mine));
    EXPECT_CODE("runtime: switches context by itself", ACL_SUCCESS, aclrtSynchronizeStream(elsewhere));
    EXPECT_CODE("9 case 26", ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStream(elsewhere));
    OK(aclrtSetCurrentContext(created));
    OK(aclrtDestroyStream(elsewhere));
    EXPECT_CODE("simulator: stale handle", ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream(elsewhere));
    OK(aclrtDestroyContext(created));
    OK(aclrtSetCurrentContext(mine));
}

static void described(void)
{
    aclrtStream stream;
    uint32_t flags = ACL_STREAM_FAST_LAUNCH;
    aclrtStreamConfigHandle *description = aclrtCreateStreamConfigHandle();
    EXPECT_CODE("runtime HEAD: a size_t", ACL_ERROR_INVALID_PARAM,
                aclrtSetStreamConfigOpt(description, ACL_RT_STREAM_FLAG, &flags, sizeof flags));
    OK(aclrtSetStreamConfigOpt(description, ACL_RT_STREAM_FLAG, &(size_t){flags}, sizeof(size_t)));
    OK(aclrtSetStreamConfigOpt(description, ACL_RT_STREAM_PRIORITY, &(uint32_t){1}, sizeof(uint32_t)));
    OK(aclrtCreateStreamV2(&stream, description));
    flags = 0;
    OK(aclrtStreamGetFlags(stream, &flags));
    EXPECT("runtime HEAD", flags == ACL_STREAM_FAST_LAUNCH);
    OK(aclrtDestroyStream(stream));
    OK(aclrtDestroyStreamConfigHandle(description));
    EXPECT_CODE("runtime HEAD: without a description", ACL_SUCCESS, aclrtCreateStreamV2(&stream, NULL));
    OK(aclrtDestroyStream(stream));
}

static void ends(void)
{
    aclrtStream stream;
    char now[64];
    OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
    OK(aclrtMemsetAsync(device_memory, 4096, 9, 4096, stream));
    OK(aclrtDestroyStream(stream));
    OK(aclsimRead(device_memory, now, 64));
    EXPECT("3.13: pending work completes", isFilled(now, 9, 64));

    OK(aclrtCreateStream(&stream));
    OK(aclrtLaunchHostFunc(stream, waitForGate, &gate));
    OK(aclrtMemsetAsync(device_memory, 4096, 10, 4096, stream));
    EXPECT_CODE("3.13: timeout", ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 1));
    EXPECT_CODE("3.13: timeout", ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDeviceWithTimeout(1));
    EXPECT_CODE("3.13", ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(stream, -2));
    sem_post(&gate);
    OK(aclrtSynchronizeDevice());
    OK(aclsimRead(device_memory, now, 64));
    EXPECT("3.13", isFilled(now, 10, 64));
    OK(aclrtDestroyStreamForce(stream));
}

static int ran;

static void count(void *unused)
{
    (void)unused;
    ran++;
}

/* AscendCL API reference, aclrtStreamAbort: what was queued is dropped, and the stream continues. */
static void abortionDropsWhatWaits(aclrtStream stream, aclrtStream other)
{
    aclrtEvent never, event;
    aclrtStreamStatus status;
    OK(aclrtCreateEvent(&never));
    OK(aclrtCreateEvent(&event));
    OK(aclrtLaunchHostFunc(other, waitForGate, &gate));
    OK(aclrtRecordEvent(never, other));
    OK(aclrtStreamWaitEvent(stream, never));
    OK(aclrtLaunchHostFunc(stream, count, NULL));
    OK(aclrtStreamAbort(stream));
    OK(aclrtStreamQuery(stream, &status));
    EXPECT("nothing is left", status == ACL_STREAM_STATUS_COMPLETE && ran == 0);
    OK(aclrtLaunchHostFunc(stream, count, NULL));
    OK(aclrtSynchronizeStream(stream));
    EXPECT("the stream goes on", ran == 1);
    sem_post(&gate);
    OK(aclrtSynchronizeStream(other));
    OK(aclrtDestroyEvent(never));
    OK(aclrtDestroyEvent(event));
}

int main(void)
{
    aclrtStream stream, other;
    sem_init(&gate, 0, 0);
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc((void **)&device_memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost((void **)&pinned, 4096));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateStream(&other));
    pinnedIsAsynchronous(stream);
    pinnedIsAsynchronous(NULL);
    pageableIsSynchronous(stream, other);
    stagedIsCopiedAtOnce(stream);
    releaseDoesNotWait(stream);
    abortionDropsWhatWaits(stream, other);
    handles(stream);
    described();
    ends();
    return 0;
}
