//@ options: leak_scan=1
// A block that nobody knows, and one that only a register of another thread knows while the program finalizes: a thread that computes, that waits for a
// pipe, that sleeps. Or the thread cannot be stopped, as it blocks all signals or the program has a handler for each; or it must not be kept from going
// on, as it allocates, uses the device, or starts others all the time.
#define _GNU_SOURCE
#include "../rt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define KEPT "r14"
#elif defined(__aarch64__)
#define KEPT "x24"
#endif

enum { THREADS = 4 };

static const char *way;
static sem_t ready;
static int ends[2];
static volatile int is_over;

__attribute__((noinline)) static void allocate(char *volatile *place) { *place = device(1000); }

__attribute__((noinline)) static void lose(void) {
    char *volatile block;
    allocate(&block);
    block = NULL;
}

static void wait_here(void) {
    if (!strcmp(way, "waits")) {
        struct pollfd end = {ends[0], POLLIN, 0};
        MUST(poll(&end, 1, 100000) != 1);
    } else if (!strcmp(way, "sleeps")) {
        struct timespec time = {0, 200 * 1000 * 1000};
        while (!is_over) MUST(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL));
    } else {
        while (!is_over) continue;
    }
}

// Only the register knows the block: what the allocation left on the stack is overwritten.
__attribute__((noinline)) static void forget(void) {
    char deep[16384];
    memset(deep, 0, sizeof deep);
    __asm__ volatile("" : : "r"(deep) : "memory");
}

static void *hold(void *unused) {
    (void)unused;
    MUST(aclrtSetDevice(0));
    if (!strcmp(way, "blocks")) {
        sigset_t all;
        sigfillset(&all);
        MUST(pthread_sigmask(SIG_BLOCK, &all, NULL));
    }
    {
        char *volatile place;
        allocate(&place);
        register uintptr_t own __asm__(KEPT) = (uintptr_t)place;
        place = NULL;
        forget();
        __asm__ volatile("" : "+r"(own));
        MUST(sem_post(&ready));
        wait_here();
        __asm__ volatile("" : "+r"(own));
        MUST(own == 0);
    }
    return NULL;
}

static void *nothing(void *unused) { return unused; }

static void *work(void *unused) {
    (void)unused;
    MUST(aclrtSetDevice(0));
    MUST(sem_post(&ready));
    while (!is_over) {
        if (!strcmp(way, "allocate")) {
            char *volatile all[64];
            for (int i = 0; i < 64; i++) all[i] = malloc(16u << i % 12);
            for (int i = 0; i < 64; i++) free(all[i]);
        } else if (!strcmp(way, "use")) {
            MUST(aclrtFree(device(4096)));
        } else {
            pthread_t other;
            MUST(pthread_create(&other, NULL, nothing, NULL));
            MUST(pthread_join(other, NULL));
        }
    }
    return NULL;
}

static void handler(int unused) { (void)unused; }

int main(int count, char **arguments) {
    way = count > 1 ? arguments[1] : "";
    int is_holding = strcmp(way, "allocate") && strcmp(way, "use") && strcmp(way, "start");
    pthread_t threads[THREADS];
    begin();
    MUST(sem_init(&ready, 0, 0));
    MUST(pipe(ends));
    if (!strcmp(way, "handles")) {
        for (int number = SIGRTMIN; number <= SIGRTMAX; number++) MUST(signal(number, handler) == SIG_ERR);
    }
    lose();
    int used = is_holding ? 1 : THREADS;
    for (int i = 0; i < used; i++) MUST(pthread_create(&threads[i], NULL, is_holding ? hold : work, NULL));
    for (int i = 0; i < used; i++) MUST(sem_wait(&ready));
    forget();
    if (!is_holding) exit(0);
    // The scan at the end of the library: afterwards the threads go on as if nothing had been.
    end();
    is_over = 1;
    MUST(write(ends[1], "x", 1) != 1);
    for (int i = 0; i < used; i++) MUST(pthread_join(threads[i], NULL));
    _Exit(0);
}
