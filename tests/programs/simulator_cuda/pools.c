/* Stream-ordered memory: reuse in and across streams, attributes, trim and threshold. */
#include "expect.h"

#define BIG (2u << 20) /* a whole segment: nothing else fits */

static sem_t gate;
static CUmemoryPool pool;

static uint64_t number(CUmemPool_attribute attribute)
{
    uint64_t value = 0;
    OK(cuMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static void setReuse(int follow, int opportunistic, int internal)
{
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &follow));
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &opportunistic));
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &internal));
}

static void defaults(void)
{
    for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES; i < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD; i++) {
        int value = 0;
        OK(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)i, &value));
        EXPECT("on by default", value == 1);
    }
    EXPECT("no threshold by default", number(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) == 0);
}

/* Whether `second` gets the block that `first` releases while it is busy. */
static int isReused(CUstream first, CUstream second, CUevent event)
{
    CUdeviceptr block, next;
    OK(cuMemAllocAsync(&block, BIG, first));
    OK(cuLaunchHostFunc(first, waitForGate, &gate));
    OK(cuMemFreeAsync(block, first));
    if (event) {
        OK(cuEventRecord(event, first));
        OK(cuStreamWaitEvent(second, event, 0));
    }
    OK(cuMemAllocAsync(&next, BIG, second));
    const int must_wait = cuStreamQuery(second) == CUDA_ERROR_NOT_READY;
    EXPECT("a reuse is ordered", next != block || must_wait || first == second);
    sem_post(&gate);
    OK(cuMemFreeAsync(next, second));
    OK(cuCtxSynchronize());
    return next == block;
}

static void reuse(CUstream first, CUstream second, CUevent event)
{
    setReuse(0, 0, 0);
    EXPECT("a stream's own releases", isReused(first, first, NULL));
    EXPECT("no order, no reuse", !isReused(first, second, NULL));
    EXPECT("an event, but not allowed", !isReused(first, second, event));
    setReuse(1, 0, 0);
    EXPECT("follow event dependencies", isReused(first, second, event));
    setReuse(0, 0, 1);
    EXPECT("internal dependencies", isReused(first, second, NULL));
    setReuse(1, 1, 1);
}

static void thresholdAndTrim(CUstream stream)
{
    CUdeviceptr block;
    uint64_t keep = UINT64_MAX, zero = 0;
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
    OK(cuMemAllocAsync(&block, BIG, stream));
    EXPECT("used", number(CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == BIG);
    OK(cuMemFreeAsync(block, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT("kept below the threshold", number(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) >= BIG);
    OK(cuMemPoolTrimTo(pool, 0));
    EXPECT("trimmed", number(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 0);
    EXPECT("the high-water mark stays", number(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) >= BIG);
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
    EXPECT("reset", number(CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 0);
    EXPECT_CODE("only to 0", CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &keep));
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &zero));
    OK(cuMemAllocAsync(&block, BIG, stream));
    OK(cuMemFreeAsync(block, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT("released at the synchronization", number(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 0);
}

static void refusals(CUstream stream)
{
    CUdeviceptr block, other;
    OK(cuMemAllocAsync(&block, BIG, stream));
    OK(cuMemFreeAsync(block, stream));
    EXPECT_CODE("twice", CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(block, stream));
    EXPECT_CODE("no bytes", CUDA_ERROR_INVALID_VALUE, cuMemAllocAsync(&block, 0, stream));
    EXPECT_CODE("huge", CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocAsync(&block, SIZE_MAX, stream));
    EXPECT_CODE("not a pool", CUDA_ERROR_INVALID_VALUE,
                cuMemAllocFromPoolAsync(&block, 16, (CUmemoryPool)&block, stream));
    EXPECT_CODE("the default pool stays", CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(pool));
    OK(cuMemAlloc(&other, 64));
    OK(cuMemFreeAsync(other, stream)); /* allowed for memory of cuMemAlloc */
    OK(cuStreamSynchronize(stream));
    EXPECT_CODE("gone", CUDA_ERROR_INVALID_VALUE, cuMemFree(other));
    OK(cuMemAllocAsync(&block, 64, stream));
    OK(cuMemFree(block)); /* and the other way round */
}

static void ownPools(CUstream stream)
{
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemoryPool own, current;
    CUdeviceptr block;
    OK(cuMemPoolCreate(&own, &props));
    OK(cuDeviceSetMemPool(0, own));
    OK(cuMemAllocAsync(&block, 64, stream));
    OK(cuPointerGetAttribute(&current, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, block));
    EXPECT("the device's current pool", current == own);
    OK(cuMemPoolDestroy(own)); /* its memory stays until it is released */
    OK(cuDeviceGetMemPool(&current, 0));
    EXPECT("the default one is current again", current == pool);
    OK(cuLaunchHostFunc(stream, waitForGate, &gate));
    OK(cuMemsetD8Async(block, 1, 64, stream));
    OK(cuMemFreeAsync(block, stream)); /* what is queued before it still has its memory */
    sem_post(&gate);
    OK(cuStreamSynchronize(stream));
    props.location.id = 99;
    EXPECT_CODE("no such device", CUDA_ERROR_INVALID_DEVICE, cuMemPoolCreate(&own, &props));
}

int main(void)
{
    CUstream first, second;
    CUevent event;
    begin();
    sem_init(&gate, 0, 0);
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    defaults();
    reuse(first, second, event);
    thresholdAndTrim(first);
    refusals(first);
    ownPools(first);
    return 0;
}
