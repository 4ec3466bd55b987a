//@ run
/* Many threads at once: blocks never overlap, and nothing is lost. */
#include <pthread.h>

#include "expect.h"

enum { THREADS = 8, ROUNDS = 400, HELD = 32 };

static void *churn(void *number)
{
    unsigned char tag = (unsigned char)((intptr_t)number + 1), back[256];
    void *held[HELD] = {0};
    aclrtStream stream;
    unsigned seed = tag;
    OK(aclrtSetDevice((int32_t)((intptr_t)number % 2)));
    OK(aclrtCreateStream(&stream));
    for (int round = 0; round < ROUNDS; round++) {
        void **slot = &held[rand_r(&seed) % HELD];
        if (*slot) {
            OK(aclrtMemcpy(back, 256, *slot, 256, ACL_MEMCPY_DEVICE_TO_HOST));
            EXPECT("simulator: nobody else wrote here", isFilled(back, tag, 256));
            OK(aclrtFree(*slot));
            *slot = NULL;
        } else {
            size_t size = 256 + (size_t)rand_r(&seed) % (round % 50 ? 40000 : 4000000);
            OK(aclrtMalloc(slot, size, ACL_MEM_MALLOC_HUGE_FIRST));
            OK(aclrtMemsetAsync(*slot, size, tag, size, stream));
            OK(aclrtSynchronizeStream(stream));
        }
    }
    for (int i = 0; i < HELD; i++) {
        if (held[i]) {
            OK(aclrtFree(held[i]));
        }
    }
    OK(aclrtDestroyStream(stream));
    return NULL;
}

/* While a thread has the device set, nobody else's reset may take it away. */
static void *setAndReset(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        void *block;
        OK(aclrtSetDevice(2));
        OK(aclrtMalloc(&block, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemsetAsync(block, 1000, 1, 1000, NULL));
        OK(aclrtSynchronizeStream(NULL));
        OK(aclrtFree(block));
        OK(aclrtResetDevice(2));
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtSetDevice(1));
    for (intptr_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, churn, (void *)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, setAndReset, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    EXPECT("simulator", aclsimLiveBlocks(0) == 0 && aclsimLiveBlocks(1) == 0);
    return 0;
}
