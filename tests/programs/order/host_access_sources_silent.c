//@ options: host_access=trap
//@ env: ACLSIM_STREAM_DELAY_US=1000
// A source may be read while it is sent, by the CPU, by libc, and by another copy.
#include "order.h"
#include <unistd.h>

int main(void) {
    begin();
    aclrtStream work = stream(), other = stream();
    char *first = device(N), *second = device(N), *staging = pinned(N), copy[N];
    memset(staging, 7, N);
    int ends[2];
    MUST(pipe(ends));
    MUST(aclrtMemcpyAsync(first, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE, work));
    MUST(aclrtMemcpyAsync(second, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE, other));
    memcpy(copy, staging, N);
    if (write(ends[1], staging, 100) != 100 || copy[N - 1] != 7) return 3;
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere || fwrite(staging, 1, N, nowhere) != N) return 3;
    fclose(nowhere);
    MUST(aclrtSynchronizeStream(work));
    // The other stream still reads.
    if (staging[0] != 7) return 3;
    MUST(aclrtSynchronizeStream(other));
    if (read(ends[0], staging, 100) != 100) return 3;
    MUST(aclrtFreeHost(staging));
    MUST(aclrtFree(first));
    MUST(aclrtFree(second));
    MUST(aclrtDestroyStream(work));
    MUST(aclrtDestroyStream(other));
    end();
    return 0;
}
