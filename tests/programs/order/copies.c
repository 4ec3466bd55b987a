//@ env: ACLSIM_STREAM_DELAY_US=2000
// A blocking copy waits for no stream; a copy of pageable memory waits for its own only; a pinned source is read when the stream comes to it.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream(), copies = stream();
    char *rows = device(N), *staging = pinned(N);
    static char plain[N];
    MUST(aclrtMemsetAsync(rows, N, 1, N, work));
    MUST(aclrtMemcpy(rows, N, plain, N, ACL_MEMCPY_HOST_TO_DEVICE)); // over which the fill comes
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemsetAsync(rows, N, 2, N, work));
    MUST(aclrtMemcpyAsync(rows, N, plain, N, ACL_MEMCPY_HOST_TO_DEVICE, copies)); // waits for `copies`
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemcpyAsync(rows, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE, copies));
    MUST(aclrtFreeHost(staging));
    aclrtSynchronizeDevice(); // the result depends on a race
    MUST(aclrtFree(rows));
    aclrtDestroyStream(work);
    aclrtDestroyStream(copies);
    end();
    return 0;
}
