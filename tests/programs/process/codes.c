// Every call once, and its code.
#include "process.h"

#define TELL(call) printf("%s = %d\n", #call, (int)(call))

static void nothing(void *unused) {
    (void)unused;
}

int main(void) {
    void *block = NULL, *other = NULL, *host = NULL;
    size_t free_bytes, total_bytes;
    uint64_t references;
    aclrtRunMode mode;
    aclrtContext context = NULL;
    aclrtStream stream = NULL, second = NULL;
    aclrtEvent event = NULL, flagged = NULL, extended = NULL;
    aclrtStreamStatus stream_status;
    aclrtEventRecordedStatus event_status;
    TELL(aclInit(NULL));
    TELL(aclrtSetDevice(0));
    TELL(aclrtGetRunMode(&mode));
    TELL(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes));
    TELL(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    TELL(aclrtMallocAlign32(&other, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    TELL(aclrtFreeWithDevSync(other));
    TELL(aclrtMallocCached(&other, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    TELL(aclrtFree(other));
    TELL(aclrtMallocWithCfg(&other, 4096, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    TELL(aclrtFree(other));
    TELL(aclrtMallocForTaskScheduler(&other, 4096, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    TELL(aclrtMallocHost(&host, 4096));
    TELL(aclrtFreeHost(host));
    TELL(aclrtMallocHostWithCfg(&host, 4096, NULL));
    TELL(acldvppMalloc(&host, 4096));
    TELL(acldvppFree(host));
    TELL(hi_mpi_dvpp_malloc(0, &host, 4096));
    TELL(hi_mpi_dvpp_free(host));
    TELL(aclrtMallocHost(&host, 4096));
    TELL(aclrtCreateStream(&stream));
    TELL(aclrtCreateStreamWithConfig(&second, 0, 0));
    TELL(aclrtMemcpy(block, 4096, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    TELL(aclrtMemcpyAsync(block, 4096, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    TELL(aclrtMemcpy2d(block, 64, host, 64, 32, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    TELL(aclrtMemcpy2dAsync(block, 64, host, 64, 32, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    TELL(aclrtMemset(block, 4096, 0, 64));
    TELL(aclrtMemsetAsync(block, 4096, 0, 64, stream));
    TELL(aclrtCreateEvent(&event));
    TELL(aclrtCreateEventWithFlag(&flagged, 1));
    TELL(aclrtCreateEventExWithFlag(&extended, 1));
    TELL(aclrtRecordEvent(event, stream));
    TELL(aclrtStreamWaitEvent(second, event));
    TELL(aclrtSynchronizeEvent(event));
    TELL(aclrtSynchronizeEventWithTimeout(event, 10000));
    TELL(aclrtQueryEventStatus(event, &event_status));
    TELL(aclrtSynchronizeStream(stream));
    TELL(aclrtSynchronizeStreamWithTimeout(second, 10000));
    TELL(aclrtStreamQuery(stream, &stream_status));
    TELL(aclrtResetEvent(event, stream));
    TELL(aclrtLaunchHostFunc(stream, nothing, NULL));
    TELL(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_NO_BLOCK, stream));
    TELL(aclrtProcessReport(1));
    TELL(aclrtSynchronizeDevice());
    TELL(aclrtSynchronizeDeviceWithTimeout(10000));
    TELL(aclrtDestroyEvent(event));
    TELL(aclrtDestroyStream(stream));
    TELL(aclrtDestroyStreamForce(second));
    TELL(aclrtFreeHostWithDevSync(host));
    TELL(aclrtFree(block));
    TELL(aclrtCreateContext(&context, 0));
    TELL(aclrtSetCurrentContext(context));
    TELL(aclrtDestroyContext(context));
    TELL(aclrtResetDevice(0));
    TELL(aclrtResetDeviceForce(0));
    TELL(aclFinalizeReference(&references));
    TELL(aclFinalize());
    return 0;
}
