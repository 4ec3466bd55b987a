//@ env: ACLSIM_STREAM_DELAY_US=2000
// Each of these needs an edge of its own: work that was queued after the first race, the other direction, another block,
// and another stream.
#include "../order/order.h"

int main(void) {
    begin();
    aclrtStream work = stream(), copies = stream(), third = stream();
    char *all = device(N), *other = device(N), *more = device(N), *result = device(N);
    MUST(aclrtMemsetAsync(more, N, 1, N, work));
    MUST(aclrtMemsetAsync(all, N, 1, N, work));
    MUST(aclrtMemcpyAsync(other, N, all, N, ACL_MEMCPY_DEVICE_TO_DEVICE, copies)); // after the first fill
    MUST(aclrtMemsetAsync(all, N, 2, N, work)); // the other direction
    MUST(aclrtMemcpyAsync(other, 64, all, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, copies)); // after the second fill
    MUST(aclrtMemcpyAsync(other, 32, more, 32, ACL_MEMCPY_DEVICE_TO_DEVICE, copies)); // another block
    MUST(aclrtMemcpyAsync(result, N, all, N, ACL_MEMCPY_DEVICE_TO_DEVICE, third)); // another stream
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(all));
    MUST(aclrtFree(other));
    MUST(aclrtFree(more));
    MUST(aclrtFree(result));
    MUST(aclrtDestroyStream(work));
    MUST(aclrtDestroyStream(copies));
    MUST(aclrtDestroyStream(third));
    end();
    return 0;
}
