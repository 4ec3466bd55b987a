//@ env: ACLSIM_STREAM_DELAY_US=2000
// One wait is missing in each of two places: what comes after it about the same block has the same cause.
#include "../order/order.h"

int main(void) {
    begin();
    aclrtStream work = stream(), copies = stream();
    char *sum = device(N), *all = device(N), *other = device(N);
    static char host[N];
    // The host does not wait for the work.
    MUST(aclrtMemsetAsync(sum, N, 1, N, work));
    MUST(aclrtMemcpy(host, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemcpy(host, 64, sum, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtFree(sum));
    // The copies do not wait for the work.
    MUST(aclrtMemsetAsync(all, N, 1, N, work));
    MUST(aclrtMemcpyAsync(other, N, all, N, ACL_MEMCPY_DEVICE_TO_DEVICE, copies));
    MUST(aclrtMemcpyAsync(other, 64, all, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, copies));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(all));
    MUST(aclrtFree(other));
    MUST(aclrtDestroyStream(work));
    MUST(aclrtDestroyStream(copies));
    end();
    return 0;
}
