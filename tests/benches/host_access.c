/* host_access KIND COPIES: queues copies from the simulator's device to page-locked memory and waits. Prints the thread-CPU nanoseconds of a copy
 * with its share of the wait. KIND: apart (a wait for each copy), slices (for sixteen of adjacent pages), again (for sixteen of the same bytes),
 * neighbor (as apart, and the CPU writes beside the copy before the wait). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"

enum { BYTES = 4096, SLICES = 16 };

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv) {
    uint64_t copies = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    char kind = argc == 3 ? argv[1][0] : 0;
    void *device = NULL, *host = NULL;
    aclrtStream stream = NULL;
    int failed = copies == 0 || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0;
    failed |= aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0 || aclrtMallocHost(&host, BYTES * SLICES) != 0;
    if (failed) return 1;
    int group = kind == 's' ? SLICES : kind == 'a' && argv[1][1] == 'g' ? SLICES : 1;
    size_t bytes = kind == 'n' ? BYTES / 2 : BYTES;
    uint64_t begun = now();
    for (uint64_t i = 0; i < copies; i += (uint64_t)group) {
        for (int slice = 0; slice < group; slice++) {
            char *to = (char *)host + (kind == 's' ? slice * BYTES : 0);
            failed |= aclrtMemcpyAsync(to, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream) != 0;
        }
        if (kind == 'n') ((volatile char *)host)[BYTES - 1] = 1;
        failed |= aclrtSynchronizeStream(stream) != 0;
    }
    printf("%.1f\n", (double)(now() - begun) / (double)copies);
    failed |= aclrtFreeHost(host) != 0 || aclrtFree(device) != 0 || aclrtDestroyStream(stream) != 0;
    return failed | (aclrtResetDevice(0) != 0) | (aclFinalize() != 0);
}
