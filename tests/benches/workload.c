/* workload WHAT THREADS STEPS [turns]: allocations and releases below twenty frames, by one of 1,024 stacks at random.
 *
 * `pairs`: each step releases a block picked from 100,000 and allocates another in its place. `copies`: each step copies 64 bytes.
 * `waits`: each step waits for a stream. `descriptors`: each step creates and destroys a tensor, below one of 32 stacks and in the same
 * memory, as the steps of a training loop do. `forwards`: each step makes a call that is not recorded. -DBLOCKS, -DFRAMES and -DWAYS change the
 * numbers; with -DREPEAT=N a stack stays for N steps; with -DMIXED stacks differ in functions, whose frames have other sizes, not in
 * call sites alone, and blocks are smaller. Prints the thread-CPU nanoseconds that a step took and how many copies it came to; with `turns` does
 * all STEPS, and prints that, for each line of standard input. On standard error, the most KiB that were resident. With -DHOST it is malloc and
 * free, for profilers of the host's heap. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#ifdef HOST
static int take(void **block, size_t size) {
    return (*block = malloc(size)) == NULL;
}
static int give(void *block) {
    free(block);
    return 0;
}
static int move(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
    return 0;
}
static int await(void) {
    return 0;
}
static int pass(void) {
    return 0;
}
static int describe(void *block) {
    return block == NULL;
}
static unsigned long benchCopies(void) {
    return 0;
}
#else
unsigned long benchCopies(void);
int aclrtSetDevice(int32_t);
int aclrtMalloc(void **, size_t, int);
int aclrtFree(void *);
int aclrtMemcpy(void *, size_t, const void *, size_t, int);
int aclrtSynchronizeStream(void *);
int aclrtProcessReport(int32_t);
void *aclCreateTensor(const int64_t *, uint64_t, int, const int64_t *, int64_t, int, const int64_t *, uint64_t, void *);
int aclDestroyTensor(const void *);
static int take(void **block, size_t size) {
    return aclrtMalloc(block, size, 0);
}
static int give(void *block) {
    return aclrtFree(block);
}
static int move(void *to, const void *from, size_t bytes) {
    return aclrtMemcpy(to, bytes, from, bytes, 3);
}
static int await(void) {
    return aclrtSynchronizeStream(NULL);
}
static int pass(void) {
    return aclrtProcessReport(0);
}
static int describe(void *block) {
    int64_t view[2] = {4, 4}, stride[2] = {4, 1};
    return aclDestroyTensor(aclCreateTensor(view, 2, 0, stride, 0, 2, view, 2, block));
}
#endif

#ifndef BLOCKS
#define BLOCKS 100000
#endif
#ifndef FRAMES
#define FRAMES 17
#endif
#ifndef WAYS
#define WAYS 1024
#endif
#ifndef REPEAT
#define REPEAT 1
#endif
#ifdef MIXED
#define SMALLEST 16
#else
#define SMALLEST 64
#endif
/* FRAMES: with this file's other functions and the thread's start, twenty. */

struct hand {
    void **blocks;
    size_t count;
    uint64_t random, steps, nanoseconds, copied, failed;
    char what;
};

static uint64_t draw(struct hand *hand) {
    hand->random = hand->random * 6364136223846793005u + 1442695040888963407u;
    return hand->random >> 33;
}

__attribute__((noinline)) static int step(struct hand *hand) {
    void **slot = &hand->blocks[draw(hand) % hand->count];
    switch (hand->what) {
    case 'c': return move(hand->blocks[0], *slot, 64);
    case 'w': return await();
    case 'd': return describe(hand->blocks[0]);
    case 'f': return pass();
    }
    uint64_t kind = draw(hand);
    size_t size = (size_t)SMALLEST << (kind % 8);
    void *fresh = NULL;
    int failed = give(*slot) + take(&fresh, size + size / 4 * (kind / 8 % 4));
    *slot = fresh;
    return failed;
}

#ifdef MIXED
/* Eight functions that call each other. The six innermost levels choose by two bits of `way` each. */
#define FRAME(name, size, first, second, third, fourth)                         \
    __attribute__((noinline)) static int name(struct hand *hand, int left, unsigned way) { \
        volatile char own[size] = {0};                                          \
        int failed;                                                             \
        if (left == 0) {                                                        \
            failed = step(hand);                                                \
        } else {                                                                \
            switch (left > 6 ? 0 : way >> (2 * (6 - left)) & 3) {               \
            case 0: failed = first(hand, left - 1, way); break;                 \
            case 1: failed = second(hand, left - 1, way); break;                \
            case 2: failed = third(hand, left - 1, way); break;                 \
            default: failed = fourth(hand, left - 1, way);                      \
            }                                                                   \
        }                                                                       \
        return failed + own[0];                                                 \
    }
static int level(struct hand *, int, unsigned), b(struct hand *, int, unsigned), c(struct hand *, int, unsigned),
    d(struct hand *, int, unsigned), e(struct hand *, int, unsigned), f(struct hand *, int, unsigned), g(struct hand *, int, unsigned),
    h(struct hand *, int, unsigned);
FRAME(level, 16, b, d, f, h)
FRAME(b, 24, c, e, g, level)
FRAME(c, 32, d, f, h, b)
FRAME(d, 40, e, g, level, c)
FRAME(e, 48, f, h, b, d)
FRAME(f, 56, g, level, c, e)
FRAME(g, 64, h, b, d, f)
FRAME(h, 72, level, c, e, g)
#else
/* Ten levels choose between two call sites, the others have one: 1,024 stacks. Code after a call keeps its frame (no tail call). */
__attribute__((noinline)) static int level(struct hand *hand, int left, unsigned way) {
    int failed = 0;
    if (left == 0) {
        failed += step(hand);
    } else if (way & 1) {
        failed += level(hand, left - 1, way >> 1);
    } else {
        failed += level(hand, left - 1, way >> 1) * 2;
    }
    __asm__ volatile("" : "+r"(failed));
    return failed;
}
#endif

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static pthread_barrier_t turn; /* Waited for before and after each. */
static int is_over;

static void *work(void *argument) {
    struct hand *hand = argument;
#ifndef HOST
    hand->failed += aclrtSetDevice(0);
#endif
    for (size_t i = 0; i < hand->count; i++) {
        hand->failed += take(&hand->blocks[i], 64);
    }
    unsigned ways = hand->what == 'd' ? 32 : WAYS;
    while (pthread_barrier_wait(&turn), !is_over) {
        uint64_t started = now(), before = benchCopies();
        unsigned way = 0;
        for (uint64_t i = 0; i < hand->steps; i++) {
            way = i % REPEAT == 0 ? draw(hand) % ways : way;
            hand->failed += level(hand, FRAMES, way);
        }
        hand->nanoseconds = now() - started;
        hand->copied = benchCopies() - before;
        pthread_barrier_wait(&turn);
    }
    return NULL;
}

/* Lets all threads do their steps, and prints what came of it. */
static void take_turn(const struct hand *hands, int threads, uint64_t steps) {
    uint64_t nanoseconds = 0, copied = 0;
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    for (int i = 0; i < threads; i++) {
        nanoseconds += hands[i].nanoseconds;
        copied += hands[i].copied;
    }
    printf("%.1f %.3f\n", (double)nanoseconds / (double)steps, (double)copied / (double)steps);
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        return 2;
    }
    int threads = atoi(argv[2]);
    uint64_t steps = strtoull(argv[3], NULL, 10), failed = 0;
    pthread_t ids[64];
    struct hand hands[64];
    pthread_barrier_init(&turn, NULL, threads + 1);
    for (int i = 0; i < threads; i++) {
        size_t count = BLOCKS / threads;
        hands[i] = (struct hand){calloc(count, sizeof(void *)), count, 77 + i, steps / threads, 0, 0, 0, argv[1][0]};
        pthread_create(&ids[i], NULL, work, &hands[i]);
    }
    char line[16];
    do {
        if (argc > 4 && fgets(line, sizeof line, stdin) == NULL) {
            break;
        }
        take_turn(hands, threads, steps);
    } while (argc > 4);
    is_over = 1;
    pthread_barrier_wait(&turn);
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        failed += hands[i].failed;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "%ld\n", usage.ru_maxrss);
    return failed != 0;
}
