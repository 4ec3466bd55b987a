//@ env: ACLSIM_STREAM_DELAY_US=2000
// Ends that are none: a worker's reset, which leaves the program's own reference; a context of another device; a reference to all of it.
#include "order.h"

static char *busy(aclrtStream on) {
    char *block = device(N);
    MUST(aclrtMemsetAsync(block, N, 1, N, on));
    return block;
}

int main(void) {
    aclInit(NULL);
    aclInit(NULL); // "repeated", and counted
    aclrtContext other = NULL;
    MUST(aclrtCreateContext(&other, 1));
    MUST(aclrtSetDevice(0));
    aclrtStream on = stream();
    char *block = busy(on);
    MUST(aclrtSetDevice(0));
    MUST(aclrtResetDevice(0));
    MUST(aclrtSetDevice(0));
    MUST(aclrtFree(block));
    block = busy(on);
    MUST(aclrtDestroyContext(other));
    MUST(aclrtFree(block));
    block = busy(on);
    uint64_t left = 0;
    MUST(aclFinalizeReference(&left));
    MUST(aclrtFree(block));
    aclrtSynchronizeStream(on);
    MUST(aclrtDestroyStream(on));
    MUST(aclrtResetDevice(0));
    end();
    return 0;
}
