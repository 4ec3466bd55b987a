//@ options: host_access=trap:host_access_mb=0
//@ env: ACLSIM_STREAM_DELAY_US=1000
// Bytes beside those that a copy uses: on the same page of one block, of small blocks, and of registered memory.
#include "order.h"
#include <sys/mman.h>

int main(void) {
    begin();
    aclrtStream work = stream();
    char *source = device(N), *large = pinned(4 * N), *small[8];
    MUST(aclrtMemset(source, N, 2, N));
    memset(large, 1, 4 * N);
    // The first and the last bytes of a page, and the middle is the copy's.
    MUST(aclrtMemcpyAsync(large + 1024, 512, source, 512, ACL_MEMCPY_DEVICE_TO_HOST, work));
    MUST(aclrtMemcpyAsync(source, N, large + 2 * N, N, ACL_MEMCPY_HOST_TO_DEVICE, work));
    large[0] = 3;
    large[1023] = large[1536] + 1;
    large[3 * N] = large[2 * N];
    MUST(aclrtSynchronizeStream(work));
    if (large[1024] != 2 || large[1535] != 2 || large[1023] != 2) return 3;
    // Small blocks share pages.
    for (int i = 0; i < 8; i++) memset(small[i] = pinned(64), i, 64);
    for (int i = 0; i < 8; i += 2) MUST(aclrtMemcpyAsync(small[i], 64, source, 64, ACL_MEMCPY_DEVICE_TO_HOST, work));
    for (int i = 1; i < 8; i += 2) memset(small[i], 10 + i, 64);
    MUST(aclrtSynchronizeStream(work));
    for (int i = 1; i < 8; i += 2)
        if (small[i][63] != 10 + i) return 3;
    for (int i = 0; i < 8; i++) MUST(aclrtFreeHost(small[i]));
    // Memory that is not registered begins on a page of memory that is.
    char *own = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(aclrtHostRegisterV2(own, 3 * N + 100, ACL_HOST_REG_PINNED));
    MUST(aclrtMemcpyAsync(own + 3 * N - 64, 164, source, 164, ACL_MEMCPY_DEVICE_TO_HOST, work));
    own[3 * N + 200] = 5;
    own[3 * N - 65] = 6;
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtHostUnregister(own));
    MUST(aclrtFreeHost(large));
    MUST(aclrtFree(source));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
