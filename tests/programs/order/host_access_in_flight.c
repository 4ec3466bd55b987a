//@ options: host_access=trap
//@ env: ACLSIM_STREAM_DELAY_US=2000
// The CPU in memory that a queued copy still uses: by instructions, and by functions of libc.
#include "order.h"
#include <sys/mman.h>
#include <unistd.h>

// The result of each read depends on the copy: it goes nowhere.
static volatile char seen;

int main(void) {
    begin();
    aclrtStream work = stream();
    char *source = device(N), *target = device(N);
    MUST(aclrtMemset(source, N, 2, N));
    char *result = pinned(N), *staging = pinned(N);
    memset(staging, 1, N);

    MUST(aclrtMemcpyAsync(result, N, source, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
    seen = result[100];
    MUST(aclrtSynchronizeStream(work));

    MUST(aclrtMemcpyAsync(target, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE, work));
    seen = staging[0]; // the device reads, too
    staging[8] = 3;
    MUST(aclrtSynchronizeStream(work));

    MUST(aclrtMemcpyAsync(result, N, source, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
    result[N - 1] = 4;
    MUST(aclrtSynchronizeStream(work));

    int ends[2];
    MUST(pipe(ends));
    MUST(aclrtMemcpyAsync(result, N, source, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
    if (write(ends[1], result + 64, 16) != 16) return 1;
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtMemcpyAsync(target, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE, work));
    if (read(ends[0], staging, 16) != 16) return 1;
    MUST(aclrtSynchronizeStream(work));

    char *own = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(aclrtHostRegisterV2(own, 1 << 16, ACL_HOST_REG_PINNED));
    MUST(aclrtMemcpyAsync(own + 8192, N, source, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
    seen = own[8192];
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtHostUnregister(own));

    MUST(aclrtFreeHost(result));
    MUST(aclrtFreeHost(staging));
    MUST(aclrtFree(source));
    MUST(aclrtFree(target));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
