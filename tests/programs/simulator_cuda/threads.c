/* Threads share a context, the heap and a pool, each with a stream of its own. */
#include <pthread.h>

#include "expect.h"

#define ROUNDS 200

static void *work(void *context)
{
    CUstream stream;
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < ROUNDS; i++) {
        CUdeviceptr block, other;
        unsigned char now[64];
        OK(cuMemAllocAsync(&block, 4096, stream));
        OK(cuMemAlloc(&other, 64));
        OK(cuMemsetD8Async(block, (unsigned char)i, 4096, stream));
        OK(cuMemcpyDtoDAsync(other, block, 64, stream));
        OK(cuMemFreeAsync(block, stream));
        OK(cuMemcpyDtoHAsync(now, other, 64, stream));
        EXPECT("a block is one thread's until its release", isFilled(now, i, 64));
        OK(cuMemFree(other));
    }
    OK(cuStreamDestroy(stream));
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    CUmemoryPool pool;
    uint64_t used = 1;
    CUcontext context = begin();
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, work, context);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT("all is released", used == 0);
    return 0;
}
