//@ env: ACLSIM_STREAM_DELAY_US=2000
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream(), copies = stream();
    char *sum = device(N), *result = pinned(N);
    static char host[N];
    MUST(aclrtMemsetAsync(sum, N, 1, N, work));
    MUST(aclrtMemcpy(host, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemcpyAsync(result, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST, copies));
    MUST(aclrtSynchronizeDevice());
    // On from a buffer that is being filled.
    MUST(aclrtMemcpyAsync(result, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
    MUST(aclrtMemcpy(host, N, result, N, ACL_MEMCPY_HOST_TO_HOST));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(sum));
    MUST(aclrtFreeHost(result));
    MUST(aclrtDestroyStream(work));
    MUST(aclrtDestroyStream(copies));
    end();
    return 0;
}
