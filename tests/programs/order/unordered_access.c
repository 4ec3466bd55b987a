//@ env: ACLSIM_STREAM_DELAY_US=2000
#include "order.h"

int main(void) {
    begin();
    aclrtStream copies = stream(), work = stream();
    char *rows = device(N), *out = device(N), *staging = pinned(N);
    // The work does not wait for its rows.
    MUST(aclrtMemcpyAsync(rows, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE, copies));
    MUST(aclrtMemcpyAsync(out, N, rows, N, ACL_MEMCPY_DEVICE_TO_DEVICE, work));
    MUST(aclrtSynchronizeDevice());
    // The next rows do not wait for the work.
    MUST(aclrtMemcpyAsync(out, N, rows, N, ACL_MEMCPY_DEVICE_TO_DEVICE, work));
    MUST(aclrtMemcpy(rows, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(rows));
    MUST(aclrtFree(out));
    MUST(aclrtFreeHost(staging));
    MUST(aclrtDestroyStream(copies));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
