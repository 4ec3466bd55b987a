//@ options: host_access=trap
//@ env: ACLSIM_STREAM_DELAY_US=500
// Copies that have ended when their call returns: blocking ones, those of pageable memory, and fills of host memory.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream();
    char *block = device(N), *staging = pinned(N), *plain = malloc(N);
    static char global[N];
    memset(staging, 1, N);
    MUST(aclrtMemcpy(block, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE));
    memset(staging, 2, N);
    MUST(aclrtMemcpy(staging, N, block, N, ACL_MEMCPY_DEVICE_TO_HOST));
    if (staging[5] != 1) return 3;
    MUST(aclrtMemcpyAsync(plain, N, block, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
    MUST(aclrtMemcpyAsync(global, N, block, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
    if (plain[5] != 1 || global[5] != 1) return 3;
    MUST(aclrtMemsetAsync(staging, N, 9, N, work));
    if (staging[5] != 9) return 3;
    aclError status = aclrtMemcpyAsync(block, N, staging, N, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, work);
    if (status == 0) staging[5] = 8;
    MUST(aclrtSynchronizeStream(work));
    free(plain);
    MUST(aclrtFreeHost(staging));
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
