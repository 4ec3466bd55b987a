/* host WHAT STEPS: each step releases one of 1,000 small blocks of malloc's at random and allocates another. With `among`, blocks of
 * AscendCL's lie below and above them. Prints the thread-CPU nanoseconds that a step took. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int aclrtSetDevice(int32_t);
int aclrtMalloc(void **, size_t, int);

#define BLOCKS 1000

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        return 2;
    }
    static void *blocks[BLOCKS];
    uint64_t steps = strtoull(argv[2], NULL, 10), random = 77;
    void *block = NULL;
    int is_among = strcmp(argv[1], "among") == 0, failed = aclrtSetDevice(0);
    for (int i = 0; i < BLOCKS; i++) {
        failed += is_among && i % 10 == 0 ? aclrtMalloc(&block, 64, 0) : 0;
        blocks[i] = malloc(64);
    }
    failed += is_among ? aclrtMalloc(&block, 1 << 24, 0) : 0; /* above the heap: mapped by itself */
    uint64_t started = now();
    for (uint64_t i = 0; i < steps; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        void **slot = &blocks[(random >> 33) % BLOCKS];
        free(*slot);
        *slot = malloc((size_t)16 << (random >> 50) % 7);
    }
    printf("%.2f\n", (double)(now() - started) / (double)steps);
    return failed != 0;
}
