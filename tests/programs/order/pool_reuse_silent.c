//@ env: ACLSIM_STREAM_DELAY_US=2000
// By internal dependencies the allocation waits for the release; opportunistic reuse takes what is released already; events are edges.
#include "../pools/pool.h"

static void allow(aclrtMemPool pool, aclrtMemPoolAttr attribute, uint32_t value) {
    MUST(aclrtMemPoolSetAttr(pool, attribute, &value));
    uint32_t now = 2;
    MUST(aclrtMemPoolGetAttr(pool, attribute, &now));
    if (now != value) {
        exit(1);
    }
}

int main(void) {
    begin();
    aclrtStream first = stream_of_ours(), second = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    char *result = device(4096);
    uint64_t keep = 64 << 20;
    MUST(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &keep));
    allow(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 1);
    char *rows = pooled(4096, pool, first), *before = rows;
    MUST(aclrtMemsetAsync(result, 4096, 7, 4096, first));
    MUST(aclrtMemPoolFreeAsync(rows, first));
    rows = pooled(4096, pool, second);
    if (rows != before) {
        return 1;
    }
    MUST(aclrtMemcpyAsync(rows, 4096, result, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, second));
    MUST(aclrtSynchronizeStream(second));
    allow(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
    allow(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 1);
    MUST(aclrtMemPoolFreeAsync(rows, second));
    MUST(aclrtSynchronizeStream(second));
    rows = pooled(4096, pool, first);
    if (rows != before) {
        return 1;
    }
    MUST(aclrtMemsetAsync(rows, 4096, 0, 4096, first));
    MUST(aclrtSynchronizeStream(first));
    MUST(aclrtFree(rows)); // nothing of it is queued
    allow(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 0);
    allow(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1);
    aclrtEvent done = NULL;
    MUST(aclrtCreateEvent(&done));
    rows = pooled(4096, pool, first);
    MUST(aclrtMemsetAsync(result, 4096, 7, 4096, first));
    MUST(aclrtMemPoolFreeAsync(rows, first));
    MUST(aclrtRecordEvent(done, first));
    MUST(aclrtStreamWaitEvent(second, done));
    rows = pooled(4096, pool, second);
    MUST(aclrtMemcpyAsync(rows, 4096, result, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, second));
    MUST(aclrtMemPoolFreeAsync(rows, second));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemPoolTrimTo(pool, 0));
    MUST(aclrtDestroyEvent(done));
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtFree(result));
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
    end();
    return 0;
}
