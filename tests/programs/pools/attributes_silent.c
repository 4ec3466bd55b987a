// What two pools were set to, what the runtime said that they use, and what the log shows. A pool's pages are of 2 MiB.
// Used of the first: 3 MiB take 2 pages, 1000 bytes 1, 5 MiB 3, together 12 MiB. Without the 1000 bytes it uses 10 MiB, and has 12 in reserve.
// Then nothing, the mark starts over, and 2 MiB and a byte take 2 pages: 4 MiB now and at most. It is asked what it uses then; what it has in
// reserve it was asked before the trims, of which the second keeps nothing: 4 MiB are asked of the driver again. The second is never asked.
#include "pool.h"

static void set32(aclrtMemPool pool, aclrtMemPoolAttr attribute, uint32_t value) {
    MUST(aclrtMemPoolSetAttr(pool, attribute, &value));
}

static void set64(aclrtMemPool pool, aclrtMemPoolAttr attribute, uint64_t value) {
    MUST(aclrtMemPoolSetAttr(pool, attribute, &value));
}

static void expect(aclrtMemPool pool, aclrtMemPoolAttr attribute, uint64_t wanted) {
    uint64_t value = 0;
    MUST(aclrtMemPoolGetAttr(pool, attribute, &value));
    if (value != wanted) {
        fprintf(stderr, "attribute %d is %llu\n", (int)attribute, (unsigned long long)value);
        exit(1);
    }
}

int main(void) {
    begin();
    aclrtStream stream = stream_of_ours();
    aclrtMemPool pool = pool_of_ours(), other = pool_of_ours();
    set32(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1);
    set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 1);
    set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 0);
    expect(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
    set64(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 16 << 20);
    char *rows = pooled(3 << 20, pool, stream), *few = pooled(1000, pool, stream), *columns = pooled(5 << 20, pool, stream);
    MUST(aclrtMemPoolFreeAsync(few, stream));
    expect(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, 10 << 20);
    expect(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, 12 << 20);
    expect(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, 12 << 20);
    expect(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, 12 << 20);
    MUST(aclrtMemPoolFreeAsync(rows, stream));
    MUST(aclrtMemPoolFreeAsync(columns, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemPoolTrimTo(pool, 8 << 20));
    MUST(aclrtMemPoolTrimTo(pool, 0));
    set64(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, 0);
    char *more = pooled((2 << 20) + 1, pool, stream);
    expect(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, 4 << 20);
    expect(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, 4 << 20);
    MUST(aclrtMemPoolFreeAsync(more, stream));
    MUST(aclrtMemPoolFreeAsync(pooled(64, other, stream), stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtMemPoolDestroy(other));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
