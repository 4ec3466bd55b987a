/* guards PAIRS THREADS WORK: threads use blocks of 1,000 bytes on the simulator, 64 of them live in each. Prints thread-CPU nanoseconds:
 *   pairs    of a release and an allocation;
 *   touched  of the same, with a fill of each block in between;
 *   copies   of a copy of 88 bytes to a device, of one of sixteen in a batch, and of the same from the device. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"

enum { LIVE = 64, BYTES = 1000, BATCH = 16, GUARD = 88, WAYS = 4, MAX_THREADS = 64 };

struct hand {
    pthread_t thread;
    const char *work;
    uint64_t pairs;
    double nanoseconds[WAYS];
    int failed;
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void pair(struct hand *hand, void **blocks, int is_touched) {
    uint64_t begun = now();
    for (uint64_t i = 0; i < hand->pairs; i++) {
        void **block = &blocks[i % LIVE];
        hand->failed |= aclrtFree(*block) != 0;
        hand->failed |= aclrtMalloc(block, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
        if (is_touched) hand->failed |= aclrtMemset(*block, BYTES, 0, BYTES) != 0;
    }
    hand->nanoseconds[0] = (double)(now() - begun) / (double)hand->pairs;
}

/* Single copies, then batches: up, then down. */
static void copy(struct hand *hand, void **blocks) {
    static char host[MAX_THREADS][BATCH][GUARD];
    static int threads;
    int own = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    for (int way = 0; way < WAYS; way++) {
        void *to[BATCH], *from[BATCH];
        size_t lengths[BATCH], first = 0, bad;
        int is_up = way < 2;
        aclrtMemcpyKind kind = is_up ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST;
        aclrtMemcpyBatchAttr where = {.srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST, .dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};
        if (!is_up) where = (aclrtMemcpyBatchAttr){.srcLoc = where.dstLoc, .dstLoc = where.srcLoc};
        for (int i = 0; i < BATCH; i++) {
            to[i] = is_up ? blocks[i] : host[own][i];
            from[i] = is_up ? host[own][i] : blocks[i];
            lengths[i] = GUARD;
        }
        uint64_t begun = now();
        for (uint64_t i = 0; i < hand->pairs; i++) {
            if (way % 2) {
                i += BATCH - 1;
                hand->failed |= aclrtMemcpyBatch(to, lengths, from, lengths, BATCH, &where, &first, 1, &bad) != 0;
            } else {
                hand->failed |= aclrtMemcpy(to[i % BATCH], GUARD, from[i % BATCH], GUARD, kind) != 0;
            }
        }
        hand->nanoseconds[way] = (double)(now() - begun) / (double)hand->pairs;
    }
}

static void *work(void *argument) {
    struct hand *hand = argument;
    void *blocks[LIVE] = {NULL};
    hand->failed = aclrtSetDevice(0) != 0;
    for (int i = 0; i < LIVE; i++) hand->failed |= aclrtMalloc(&blocks[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
    if (strcmp(hand->work, "copies") == 0) copy(hand, blocks);
    else pair(hand, blocks, strcmp(hand->work, "touched") == 0);
    for (int i = 0; i < LIVE; i++) hand->failed |= aclrtFree(blocks[i]) != 0;
    hand->failed |= aclrtResetDevice(0) != 0;
    return NULL;
}

int main(int argc, char **argv) {
    static struct hand hands[MAX_THREADS];
    uint64_t pairs = argc == 4 ? strtoull(argv[1], NULL, 10) : 0;
    int threads = argc == 4 ? atoi(argv[2]) : 0, failed = 0;
    if (pairs == 0 || threads < 1 || threads > MAX_THREADS || aclInit(NULL) != 0) return 2;
    for (int i = 0; i < threads; i++) {
        hands[i].pairs = pairs;
        hands[i].work = argv[3];
        failed |= pthread_create(&hands[i].thread, NULL, work, &hands[i]) != 0;
    }
    double sums[WAYS] = {0};
    for (int i = 0; i < threads; i++) {
        failed |= pthread_join(hands[i].thread, NULL) != 0;
        failed |= hands[i].failed;
        for (int way = 0; way < WAYS; way++) sums[way] += hands[i].nanoseconds[way] / threads;
    }
    for (int way = 0; way < WAYS; way++) printf("%.1f\n", sums[way]);
    return failed | (aclFinalize() != 0);
}
