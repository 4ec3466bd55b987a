/* guards PAIRS THREADS: threads allocate and release blocks of 1,000 bytes on the simulator, 64 of them live in each. Prints the thread-CPU
 * nanoseconds of a pair. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"

enum { LIVE = 64, BYTES = 1000, MAX_THREADS = 64 };

struct hand {
    pthread_t thread;
    uint64_t pairs, nanoseconds;
    int failed;
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void *work(void *argument) {
    struct hand *hand = argument;
    void *blocks[LIVE] = {NULL};
    int failed = aclrtSetDevice(0) != 0;
    for (int i = 0; i < LIVE; i++) failed |= aclrtMalloc(&blocks[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
    uint64_t begun = now();
    for (uint64_t i = 0; i < hand->pairs; i++) {
        failed |= aclrtFree(blocks[i % LIVE]) != 0;
        failed |= aclrtMalloc(&blocks[i % LIVE], BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
    }
    hand->nanoseconds = now() - begun;
    for (int i = 0; i < LIVE; i++) failed |= aclrtFree(blocks[i]) != 0;
    hand->failed = failed | (aclrtResetDevice(0) != 0);
    return NULL;
}

int main(int argc, char **argv) {
    struct hand hands[MAX_THREADS] = {0};
    uint64_t pairs = argc == 3 ? strtoull(argv[1], NULL, 10) : 0, nanoseconds = 0;
    int threads = argc == 3 ? atoi(argv[2]) : 0;
    if (pairs == 0 || threads < 1 || threads > MAX_THREADS || aclInit(NULL) != 0) return 2;
    int failed = 0;
    for (int i = 0; i < threads; i++) {
        hands[i].pairs = pairs;
        failed |= pthread_create(&hands[i].thread, NULL, work, &hands[i]) != 0;
    }
    for (int i = 0; i < threads; i++) {
        failed |= pthread_join(hands[i].thread, NULL) != 0;
        failed |= hands[i].failed;
        nanoseconds += hands[i].nanoseconds;
    }
    printf("%.1f\n", (double)nanoseconds / (double)pairs / threads);
    return failed | (aclFinalize() != 0);
}
