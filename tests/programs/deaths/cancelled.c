// Threads are canceled one after the other while they allocate below ever new stacks and trigger findings: inside hooks, most
// of the time. The argument says how many.
#include "../process/process.h"

static _Atomic long calls;

static void work(void) {
    char *block = device(4096);
    MUST(aclrtFree(block));
    aclrtFree(NULL);
    calls++;
}

static void *for_ever(void *seed) {
    MUST(aclrtSetDevice(0));
    for (unsigned path = (unsigned)(uintptr_t)seed;; path = path * 1103515245u + 12345u) {
        descend(12, path >> 8, work);
        pthread_testcancel();
    }
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 1, cancelled = 0;
    begin();
    for (uintptr_t i = 0; i < (uintptr_t)count; i++) {
        pthread_t thread;
        void *result = NULL;
        long before = calls;
        MUST(pthread_create(&thread, NULL, for_ever, (void *)(i * 7919 + 1)));
        while (calls < before + (long)(i % 20)) {
            sched_yield();
        }
        MUST(pthread_cancel(thread));
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
        alarm(60);
    }
    end();
    printf("%d cancelled\n", cancelled);
    return 0;
}
