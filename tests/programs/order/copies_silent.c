//@ env: ACLSIM_STREAM_DELAY_US=500
// The same copies in order: blocking ones after a wait, pageable ones on the stream of the work, a source that is read at once.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream();
    char *rows = device(N), *more = device(N), *staging = pinned(N);
    static char plain[N];
    MUST(aclrtMemsetAsync(rows, N, 1, N, work));
    MUST(aclrtMemcpy(more, N, plain, N, ACL_MEMCPY_HOST_TO_DEVICE)); // other memory
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtMemcpy(rows, N, plain, N, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemsetAsync(rows, N, 2, N, work));
    MUST(aclrtMemcpyAsync(rows, N, plain, N, ACL_MEMCPY_HOST_TO_DEVICE, work));
    MUST(aclrtFree(rows)); // the copy has waited for the stream
    MUST(aclrtMemcpyAsync(more, N, staging, N, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, work));
    MUST(aclrtFreeHost(staging));
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtFree(more));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
