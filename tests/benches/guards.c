/* guards PAIRS: allocates and releases blocks of 1,000 bytes on the simulator, 64 of them live. Prints the thread-CPU nanoseconds of a pair. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"

enum { LIVE = 64, BYTES = 1000 };

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv) {
    uint64_t pairs = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
    void *blocks[LIVE] = {NULL};
    int failed = pairs == 0 || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0;
    for (int i = 0; i < LIVE; i++) failed |= aclrtMalloc(&blocks[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
    uint64_t begun = now();
    for (uint64_t i = 0; i < pairs; i++) {
        failed |= aclrtFree(blocks[i % LIVE]) != 0;
        failed |= aclrtMalloc(&blocks[i % LIVE], BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
    }
    printf("%.1f\n", (double)(now() - begun) / (double)(pairs + !pairs));
    for (int i = 0; i < LIVE; i++) failed |= aclrtFree(blocks[i]) != 0;
    return failed | (aclrtResetDevice(0) != 0) | (aclFinalize() != 0);
}
