//@ options: host_access=trap
//@ env: ACLSIM_STREAM_DELAY_US=200
// Threads that access different parts of one block at once, each with copies of its own on the same pages.
#include "order.h"
#include <pthread.h>

enum { THREADS = 4, PART = 512, ROUNDS = 40 };
static char *source, *shared;

static void *run(void *number) {
    MUST(aclrtSetDevice(0));
    aclrtStream work = stream();
    char *own = shared + PART * (intptr_t)number;
    for (int round = 0; round < ROUNDS; round++) {
        memset(own, round, PART);
        MUST(aclrtMemcpyAsync(own, PART, source, PART, ACL_MEMCPY_DEVICE_TO_HOST, work));
        MUST(aclrtSynchronizeStream(work));
        for (int i = 0; i < PART; i++)
            if (own[i] != 2) exit(3);
    }
    MUST(aclrtDestroyStream(work));
    MUST(aclrtResetDevice(0));
    return NULL;
}

int main(void) {
    begin();
    source = device(N), shared = pinned(N);
    MUST(aclrtMemset(source, N, 2, N));
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++) MUST(pthread_create(&threads[i], NULL, run, (void *)i));
    for (int i = 0; i < THREADS; i++) MUST(pthread_join(threads[i], NULL));
    MUST(aclrtFreeHost(shared));
    MUST(aclrtFree(source));
    end();
    return 0;
}
