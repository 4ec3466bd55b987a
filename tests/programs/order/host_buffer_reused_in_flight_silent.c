//@ env: ACLSIM_STREAM_DELAY_US=500
// Staging buffers that are released and refilled when their copy is done; and memory of other kinds.
#include "order.h"

int main(void) {
    begin();
    aclrtStream copies = stream(), work = stream();
    char *rows = device(N), *result = device(N), *staging = pinned(N);
    static char plain[N];
    MUST(aclrtMemset(result, N, 2, N));
    for (int i = 0; i < 4; i++) {
        memset(staging, i, N);
        MUST(aclrtMemcpyAsync(rows, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE, copies));
        aclrtEvent sent = recorded(copies);
        MUST(aclrtStreamWaitEvent(work, sent));
        MUST(aclrtMemcpyAsync(staging, N, rows, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
        MUST(aclrtSynchronizeStream(work));
        MUST(aclrtDestroyEvent(sent));
    }
    // On one stream the copies are in order; the other half of the buffer is unused.
    MUST(aclrtMemcpyAsync(rows, N / 2, staging, N / 2, ACL_MEMCPY_HOST_TO_DEVICE, copies));
    MUST(aclrtMemcpyAsync(staging + N / 2, N / 2, result, N / 2, ACL_MEMCPY_DEVICE_TO_HOST, work));
    MUST(aclrtMemcpyAsync(staging, N / 2, rows, N / 2, ACL_MEMCPY_DEVICE_TO_HOST, copies));
    MUST(aclrtSynchronizeDevice());
    // Two readers of one buffer.
    MUST(aclrtMemcpyAsync(rows, N / 4, staging, N / 4, ACL_MEMCPY_HOST_TO_DEVICE, work));
    MUST(aclrtMemcpyAsync(result, N / 4, staging, N / 4, ACL_MEMCPY_HOST_TO_DEVICE, copies));
    MUST(aclrtSynchronizeDevice());
    // The runtime may wait for a copy of pageable memory.
    MUST(aclrtMemcpyAsync(rows, N, plain, N, ACL_MEMCPY_HOST_TO_DEVICE, copies));
    memset(plain, 1, N);
    MUST(aclrtSynchronizeStream(copies));
    // The source is read before the call is over.
    aclError status = aclrtMemcpyAsync(rows, N, staging, N, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, copies);
    if (status != 0) MUST(aclrtSynchronizeDevice());
    MUST(aclrtFreeHost(staging));
    MUST(aclrtSynchronizeDevice());
    // So is the end of a fill of host memory: nothing is queued.
    char *filled = pinned(N);
    MUST(aclrtMemsetD32Async(filled, N, 9, N / 4, copies));
    MUST(aclrtMemcpyAsync(rows, N, filled, N, ACL_MEMCPY_HOST_TO_DEVICE, work));
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtMemsetAsync(filled, N, 9, N, work));
    MUST(aclrtFreeHost(filled));
    MUST(aclrtFree(rows));
    MUST(aclrtFree(result));
    MUST(aclrtDestroyStream(copies));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
