// One pool for many threads, each with a stream of its own; blocks are released through the pool and around it.
#include "pool.h"
#include <pthread.h>

#define THREADS 6

static aclrtMemPool pool;

static void *work(void *nothing) {
    MUST(aclrtSetDevice(0));
    aclrtStream stream = stream_of_ours();
    for (int i = 0; i < 100; i++) {
        char *block = pooled(4096, pool, stream);
        MUST(aclrtMemsetAsync(block, 4096, 0, 4096, stream));
        if (i % 3 == 0) {
            MUST(aclrtSynchronizeStream(stream));
            MUST(aclrtFree(block));
        } else {
            MUST(aclrtMemPoolFreeAsync(block, stream));
        }
    }
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtResetDevice(0));
    return nothing;
}

int main(void) {
    pthread_t threads[THREADS];
    begin();
    for (int step = 0; step < 2; step++) {
        pool = pool_of_ours();
        for (int i = 0; i < THREADS; i++) {
            MUST(pthread_create(&threads[i], NULL, work, NULL));
        }
        for (int i = 0; i < THREADS; i++) {
            MUST(pthread_join(threads[i], NULL));
        }
        MUST(aclrtMemPoolDestroy(pool));
    }
    end();
    return 0;
}
