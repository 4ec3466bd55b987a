/* Threads that allocate and release, and say in a file of shared memory which of their calls have returned. */
#ifndef PROGRAMS_DEATHS_ACKNOWLEDGES_H
#define PROGRAMS_DEATHS_ACKNOWLEDGES_H
#include "../process/process.h"
#include <sys/mman.h>
#include <sys/syscall.h>

enum { THREADS_MOST = 8, KEPT = 64 };

/* A thread's counts, in a separate cache line. Each count is raised after the call has returned. */
struct worker {
    _Atomic uint64_t tid, allocations, releases, room[5];
};

static struct worker *workers;

/* The first of the arguments is the file, the second the number of threads. */
static inline int share(char **argv) {
    int file = open(argv[1], O_RDWR);
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || memory == MAP_FAILED) {
        exit(8);
    }
    close(file);
    workers = memory;
    return atoi(argv[2]);
}

static inline uint64_t acknowledged(int threads) {
    uint64_t all = 0;
    for (int i = 0; i < threads; i++) {
        all += workers[i].allocations + workers[i].releases;
    }
    return all;
}

/* Calls do not simply alternate: blocks are kept for a while and released in a different order. */
static inline void work_on(struct worker *own, unsigned seed) {
    char *kept[KEPT] = {NULL};
    own->tid = (uint64_t)syscall(SYS_gettid);
    for (;;) {
        seed = seed * 1103515245u + 12345u;
        char **slot = &kept[(seed >> 16) % KEPT];
        if (*slot != NULL) {
            MUST(aclrtFree(*slot));
            *slot = NULL;
            own->releases++;
        } else {
            *slot = device(64 + (seed >> 20));
            own->allocations++;
        }
    }
}

static void *work(void *number) {
    MUST(aclrtSetDevice(0));
    work_on(&workers[(uintptr_t)number], (unsigned)(uintptr_t)number + 1);
    return NULL;
}

static inline void start(int threads) {
    for (uintptr_t i = 0; i < (uintptr_t)threads; i++) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, work, (void *)i));
    }
}
#endif
