//@ env: ACLSIM_STREAM_DELAY_US=500
// Graphs that go with their device: the next one may have the handle of one that used memory which is gone. And one that runs again and
// again over the same memory, with copies before and after it.
#include "order.h"

static void again_and_again(void) {
    aclrtStream first = stream(), second = stream();
    char *in = device(N), *out = device(N), *host = pinned(N), *result = pinned(N);
    aclmdlRI graph = NULL;
    aclrtEvent event = NULL;
    MUST(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    MUST(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    MUST(aclrtMemcpyAsync(out, N, in, N, ACL_MEMCPY_DEVICE_TO_DEVICE, first));
    MUST(aclrtMemsetAsync(in, N, 0, N, first));
    MUST(aclmdlRICaptureEnd(first, &graph));
    for (int i = 0; i < 4; i++) {
        memset(host, i, N);
        MUST(aclrtMemcpyAsync(in, N, host, N, ACL_MEMCPY_HOST_TO_DEVICE, first));
        MUST(aclmdlRIExecuteAsync(graph, first));
        MUST(aclrtRecordEvent(event, first));
        MUST(aclrtStreamWaitEvent(second, event));
        MUST(aclrtMemcpyAsync(result, N, out, N, ACL_MEMCPY_DEVICE_TO_HOST, second));
        MUST(aclrtSynchronizeStream(second));
        if (result[N - 1] != i) exit(1);
    }
    MUST(aclrtFree(in));
    MUST(aclrtFree(out));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFreeHost(result));
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
}

int main(void) {
    MUST(aclInit(NULL));
    for (int i = 1; i <= 3; i++) {
        MUST(aclrtSetDevice(0));
        aclrtStream on = stream();
        char *block = device(i * N);
        aclmdlRI graph = NULL;
        MUST(aclmdlRICaptureBegin(on, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
        MUST(aclrtMemsetAsync(block, N, i, N, on));
        MUST(aclmdlRICaptureEnd(on, &graph));
        MUST(aclmdlRIExecuteAsync(graph, on));
        MUST(aclrtSynchronizeStream(on));
        MUST(aclrtFree(block));
        MUST(aclrtDestroyStream(on));
        if (i == 2) again_and_again();
        MUST(aclrtResetDevice(0));
    }
    MUST(aclFinalize());
    return 0;
}
