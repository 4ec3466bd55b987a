//@ env: ACLSIM_STREAM_DELAY_US=1000
// Threads touch the same protected pages at once: each goes on, and none of them meets the program's handler.
#include "protected.h"
#include <pthread.h>
#include <signal.h>

enum { THREADS = 8, ROUNDS = 60, BYTES = 4 * N };
static pthread_barrier_t before, after;
static char *shared;

static void on_fault(int signal) {
    (void)signal;
    _exit(7);
}

static void *touch(void *number) {
    int own = (int)(intptr_t)number;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&before);
        for (int page = 0; page < 4; page++) ((volatile char *)shared)[page * N + own] = (char)round;
        pthread_barrier_wait(&after);
    }
    return NULL;
}

int main(void) {
    start();
    signal(SIGSEGV, on_fault);
    shared = pinned(BYTES);
    pthread_barrier_init(&before, NULL, THREADS + 1);
    pthread_barrier_init(&after, NULL, THREADS + 1);
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++) MUST(pthread_create(&threads[i], NULL, touch, (void *)i));
    for (int round = 0; round < ROUNDS; round++) {
        MUST(aclrtMemcpyAsync(source, BYTES, shared, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, work));
        pthread_barrier_wait(&before);
        // Opened, and protected again, while they write.
        for (int i = 0; i < 4; i++)
            MUST(aclrtMemcpyAsync(source, N, shared + i * N, N, ACL_MEMCPY_HOST_TO_DEVICE, work));
        MUST(aclrtSynchronizeStream(work));
        pthread_barrier_wait(&after);
    }
    for (int i = 0; i < THREADS; i++) MUST(pthread_join(threads[i], NULL));
    int sum = 0;
    for (int page = 0; page < 4; page++)
        for (int i = 0; i < THREADS; i++) sum += shared[page * N + i];
    printf("%d\n", sum);
    MUST(aclrtFreeHost(shared));
    finish();
    return 0;
}
