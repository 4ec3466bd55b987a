//@ options: host_access=trap
//@ env: ACLSIM_STREAM_DELAY_US=200
// Memory that is released and allocated again, registered and unregistered: what was protected is no longer.
#include "order.h"
#include <sys/mman.h>

int main(void) {
    begin();
    aclrtStream work = stream();
    char *source = device(N), copy[N];
    MUST(aclrtMemset(source, N, 2, N));
    for (int round = 0; round < 8; round++) {
        char *result = pinned(N);
        memset(result, round, N);
        MUST(aclrtMemcpyAsync(result, N, source, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
        // Waits for the device, and then releases.
        MUST(aclrtFreeHostWithDevSync(result));
        char *again = pinned(N);
        memset(again, 1, N);
        MUST(aclrtMemcpyAsync(again, N, source, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
        MUST(aclrtSynchronizeStream(work));
        memcpy(copy, again, N);
        if (copy[round] != 2) return 3;
        MUST(aclrtFreeHost(again));
    }
    for (int round = 0; round < 4; round++) {
        char *own = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(aclrtHostRegisterV2(own, 1 << 16, ACL_HOST_REG_PINNED));
        MUST(aclrtMemcpyAsync(own, 1 << 16, source, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
        MUST(aclrtSynchronizeDevice());
        MUST(aclrtHostUnregister(own));
        own[round] = 1;
        MUST(munmap(own, 1 << 16));
    }
    MUST(aclrtFree(source));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
