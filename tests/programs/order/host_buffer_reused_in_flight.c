//@ env: ACLSIM_STREAM_DELAY_US=2000
#include "order.h"
#include <sys/mman.h>

int main(void) {
    begin();
    aclrtStream first = stream(), second = stream();
    char *target = device(N), *result = device(N);
    char *staging = pinned(N), *shared = pinned(N);
    MUST(aclrtMemset(result, N, 2, N));
    MUST(aclrtMemcpyAsync(target, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE, first));
    MUST(aclrtFreeHost(staging));
    // The second stream fills the buffer that the first one is sending.
    MUST(aclrtMemcpyAsync(target, N, shared, N, ACL_MEMCPY_HOST_TO_DEVICE, first));
    MUST(aclrtMemcpyAsync(shared, N, result, N, ACL_MEMCPY_DEVICE_TO_HOST, second));
    aclrtSynchronizeDevice(); // the result depends on a race
    // So does the host.
    MUST(aclrtMemcpyAsync(target, N, shared, N, ACL_MEMCPY_HOST_TO_DEVICE, first));
    MUST(aclrtMemcpy(shared, N, result, N, ACL_MEMCPY_DEVICE_TO_HOST));
    aclrtSynchronizeDevice();
    // And so does a fill: it is done at the call, and the copy that is queued before it on the same stream sends what it left.
    MUST(aclrtMemcpyAsync(target, N, shared, N, ACL_MEMCPY_HOST_TO_DEVICE, first));
    MUST(aclrtMemsetD32Async(shared, N, 9, N / 4, first));
    aclrtSynchronizeDevice();
    void *seen = NULL;
    void *own = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(aclrtHostRegister(own, 1 << 16, ACL_HOST_REGISTER_MAPPED, &seen));
    MUST(aclrtMemcpyAsync(target, N, own, N, ACL_MEMCPY_HOST_TO_DEVICE, first));
    MUST(aclrtHostUnregister(own));
    aclrtSynchronizeDevice();
    MUST(aclrtFreeHost(shared));
    MUST(aclrtFree(target));
    MUST(aclrtFree(result));
    aclrtDestroyStream(first);
    aclrtDestroyStream(second);
    end();
    return 0;
}
