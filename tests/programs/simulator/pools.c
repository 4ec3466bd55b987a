//@ run
//@ run: ACLSIM_MEMORY_MB=256
/* Stream-ordered pools: arguments, sizes, counters, reuse, cross releases. */
#include "acl/acl_rt_memory_soma.h"
#include "expect.h"

#define MIB(n) ((size_t)(n) << 20)

static aclrtStream one, two;

static aclrtMemPool create(size_t most)
{
    aclrtMemPoolProps props = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}, .maxSize = most};
    aclrtMemPool pool = NULL;
    OK(aclrtMemPoolCreate(&pool, &props));
    return pool;
}

static uint64_t counter(aclrtMemPool pool, aclrtMemPoolAttr attribute)
{
    uint64_t value = 0;
    OK(aclrtMemPoolGetAttr(pool, attribute, &value));
    return value;
}

static void arguments(void)
{
    aclrtMemPoolProps props = {.location = {0, ACL_MEM_LOCATION_TYPE_HOST}, .maxSize = MIB(8)};
    aclrtMemPool pool;
    EXPECT_CODE("3.8: location", ACL_ERROR_INVALID_PARAM, aclrtMemPoolCreate(&pool, &props));
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    props.reserved[31] = 1;
    EXPECT_CODE("3.8: reserved", ACL_ERROR_INVALID_PARAM, aclrtMemPoolCreate(&pool, &props));
    props.reserved[31] = 0;
    EXPECT_CODE("3.8", ACL_ERROR_INVALID_PARAM, aclrtMemPoolCreate(NULL, &props));
    props.maxSize = SIZE_MAX / 2;
    EXPECT_CODE("3.8: checked against HBM", ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolCreate(&pool, &props));
    pool = create(MIB(8));
    void *block = (void *)1;
    EXPECT_CODE("3.8: no default stream", ACL_ERROR_INVALID_PARAM, aclrtMemPoolMallocAsync(&block, 1, pool, NULL));
    EXPECT_CODE("3.8: no default pool", ACL_ERROR_INVALID_PARAM, aclrtMemPoolMallocAsync(&block, 1, NULL, one));
    EXPECT_CODE("3.8", ACL_ERROR_INVALID_PARAM, aclrtMemPoolMallocAsync(NULL, 1, pool, one));
    EXPECT_CODE("3.8: size 0", ACL_SUCCESS, aclrtMemPoolMallocAsync(&block, 0, pool, one));
    EXPECT("3.8: and writes nothing", block == (void *)1);
    EXPECT_CODE("3.8", ACL_ERROR_INVALID_PARAM, aclrtMemPoolFreeAsync(NULL, one));
    EXPECT_CODE("3.8: limit", ACL_ERROR_RT_INTERNAL_ERROR, aclrtMemPoolMallocAsync(&block, MIB(9), pool, one));
    OK(aclrtMemPoolDestroy(pool));
    EXPECT_CODE("3.8: unknown pool", ACL_ERROR_RT_INTERNAL_ERROR, aclrtMemPoolDestroy(pool));
}

static void counters(void)
{
    aclrtMemPool pool = create(MIB(64));
    char *block;
    uint64_t threshold = MIB(64);
    OK(aclrtMemPoolMallocAsync((void **)&block, 1000, pool, one));
    EXPECT("3.8: pieces of 2 MiB", sizeOf(block) == MIB(2) && (uintptr_t)block % MIB(2) == 0);
    EXPECT("3.8", counter(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT) == MIB(2));
    EXPECT("3.8", counter(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD) == 0);
    OK(aclrtMemcpyAsync(block, 1000, block, 1000, ACL_MEMCPY_DEVICE_TO_DEVICE, one));
    OK(aclrtMemPoolFreeAsync(block, one));
    EXPECT("3.8: free at call time", counter(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT) == 0 && !aclsimIsLive(block));
    OK(aclrtSynchronizeStream(one));
    EXPECT("3.8: given back at the next sync, and after 9.1 at a trim alone",
           counter(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT) == (isAfter91() ? MIB(2) : 0));
    OK(aclrtMemPoolTrimTo(pool, 0));
    OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &threshold));
    OK(aclrtMemPoolMallocAsync((void **)&block, MIB(3), pool, one));
    OK(aclrtMemPoolFreeAsync(block, one));
    OK(aclrtSynchronizeStream(one));
    EXPECT("3.8: kept below the threshold", counter(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT) == MIB(4));
    EXPECT("3.8", counter(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH) == MIB(4));
    OK(aclrtMemPoolTrimTo(pool, 0));
    EXPECT("3.8: trimmed", counter(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT) == 0);
    uint64_t zero = 0, nine = 9;
    OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &zero));
    EXPECT("runtime 681ef761: a high can be set to 0 only",
           aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &nine) != ACL_SUCCESS &&
               counter(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH) == 0);
    EXPECT_CODE("runtime 681ef761: read only", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &zero));
    OK(aclrtMemPoolDestroy(pool));
}

/* Memory of a pool is used once: only a trim makes room (probes pool.cycle and pool.full). */
static void noReuse(void)
{
    aclrtMemPool pool = create(MIB(4));
    char *first, *second, *third;
    uint32_t yes = 1;
    OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &yes));
    OK(aclrtMemPoolMallocAsync((void **)&first, MIB(2), pool, one));
    OK(aclrtMemPoolFreeAsync(first, one));
    OK(aclrtSynchronizeStream(one));
    OK(aclrtMemPoolMallocAsync((void **)&second, MIB(2), pool, one));
    EXPECT("probe pool.cycle", second != first);
    EXPECT_CODE("probe pool.full", ACL_ERROR_RT_INTERNAL_ERROR, aclrtMemPoolMallocAsync((void **)&third, MIB(2), pool, one));
    OK(aclrtMemPoolTrimTo(pool, MIB(2)));
    OK(aclrtMemPoolMallocAsync((void **)&third, MIB(2), pool, one));
    OK(aclrtMemPoolDestroy(pool));
}

static void reuse(void)
{
    aclrtMemPool pool = create(0);
    char *first, *second, *third;
    sem_t gate;
    sem_init(&gate, 0, 0);
    OK(aclrtMemPoolMallocAsync((void **)&first, MIB(2), pool, one));
    OK(aclrtLaunchHostFunc(one, waitForGate, &gate));
    OK(aclrtMemPoolFreeAsync(first, one));
    OK(aclrtMemPoolMallocAsync((void **)&second, MIB(2), pool, two));
    EXPECT("3.8: another stream may not have it yet", second != first);
    OK(aclrtMemPoolMallocAsync((void **)&third, MIB(1), pool, one));
    EXPECT("3.8: its own stream may, at call time", third == first);
    OK(aclrtMemPoolFreeAsync(third, one));
    uint32_t yes = 1;
    OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &yes));
    OK(aclrtMemPoolMallocAsync((void **)&third, MIB(2), pool, two));
    aclrtStreamStatus status;
    OK(aclrtStreamQuery(two, &status));
    EXPECT("3.8: with a wait inside", third == first && status == ACL_STREAM_STATUS_NOT_READY);
    sem_post(&gate);
    OK(aclrtSynchronizeStream(two));
    OK(aclrtMemPoolDestroy(pool));
}

/* An allocation that fails has every pool trimmed to nothing, whatever its threshold, and is tried once more. */
static void trimmedFor(void)
{
    aclrtMemPool pool = create(MIB(128));
    char *kept, *idle, *large = NULL;
    uint64_t threshold = MIB(128);
    OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &threshold));
    OK(aclrtMemPoolMallocAsync((void **)&idle, MIB(124), pool, one));
    OK(aclrtMemPoolMallocAsync((void **)&kept, MIB(4), pool, one));
    OK(aclrtMemPoolFreeAsync(idle, one));
    OK(aclrtSynchronizeStream(one));
    EXPECT("runtime, DevMalloc: kept", counter(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT) == MIB(128));
    OK(aclrtMalloc((void **)&large, MIB(180), ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT("runtime, DevMalloc: trimmed", counter(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT) == MIB(4));
    OK(aclrtFree(large));
    OK(aclrtMemPoolFreeAsync(kept, one));
    OK(aclrtSynchronizeStream(one));
    OK(aclrtMemPoolDestroy(pool));
}

static void releases(void)
{
    aclrtMemPool pool = create(MIB(64));
    char *block, *plain, *outlived;
    OK(aclrtMemPoolMallocAsync((void **)&block, MIB(4), pool, one));
    EXPECT_CODE("3.8: interior", ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolFreeAsync(block + MIB(2), one));
    EXPECT_CODE("5.2: interior", ACL_ERROR_RT_PARAM_INVALID, aclrtFree(block + 1));
    OK(aclrtMemPoolFreeAsync(block, one));
    EXPECT_CODE("3.8: twice", ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolFreeAsync(block, one));
    OK(aclrtMemPoolMallocAsync((void **)&block, MIB(4), pool, one));
    EXPECT_CODE("5.4: plain release of pool memory", ACL_SUCCESS, aclrtFree(block));
    EXPECT("5.4", counter(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT) == 0 && !aclsimIsLive(block));

    sem_t gate;
    sem_init(&gate, 0, 0);
    OK(aclrtMalloc((void **)&plain, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtLaunchHostFunc(one, waitForGate, &gate));
    EXPECT_CODE("5.4: pool release of plain memory", ACL_SUCCESS, aclrtMemPoolFreeAsync(plain, one));
    EXPECT("5.4: when the stream comes to it", aclsimIsLive(plain));
    sem_post(&gate);
    OK(aclrtSynchronizeStream(one));
    EXPECT("5.4", !aclsimIsLive(plain));

    OK(aclrtMemPoolMallocAsync((void **)&outlived, MIB(2), pool, one));
    EXPECT_CODE("3.8: outstanding blocks are not looked at", ACL_SUCCESS, aclrtMemPoolDestroy(pool));
    OK(aclsimLaunchWrite(outlived, 8, 1, one));
    EXPECT_CODE("simulator: they are gone", ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(one));
}

int main(void)
{
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStream(&two));
    arguments();
    counters();
    if (isAfter91()) {
        noReuse();
    } else {
        reuse();
    }
    releases();
    if (getenv("ACLSIM_MEMORY_MB")) {
        trimmedFor();
    }
    create(MIB(8));
    OK(aclrtResetDevice(0));
    return 0;
}
