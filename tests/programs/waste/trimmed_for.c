//@ env: ACLSIM_MEMORY_MB=256 ACLSIM_ALLOCATION_US=100000 ACLSIM_TRIM_US=2000000
//@ options: guard=off
// A pool keeps 128 MiB that no block is in; 128 MiB are free beside it. Of five blocks of one place, four of 40 MiB and one of 128, the last
// takes 130 MiB of pages, with its padding: the runtime trims its pools and tries again, which takes two seconds where the others took a tenth.
#include "../rt.h"
#include "acl/acl_rt_memory_soma.h"

static aclrtMemPool filled(aclrtStream stream) {
    aclrtMemPoolProps props = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}, .maxSize = 128 << 20};
    aclrtMemPool pool = NULL;
    uint64_t threshold = 128 << 20;
    void *block = NULL;
    MUST(aclrtMemPoolCreate(&pool, &props));
    MUST(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &threshold));
    MUST(aclrtMemPoolMallocAsync(&block, 128 << 20, pool, stream));
    MUST(aclrtMemPoolFreeAsync(block, stream));
    MUST(aclrtSynchronizeStream(stream));
    return pool;
}

int main(void) {
    begin();
    aclrtStream stream = NULL;
    MUST(aclrtCreateStream(&stream));
    aclrtMemPool pool = filled(stream);
    const size_t sizes[] = {40 << 20, 40 << 20, 40 << 20, 40 << 20, 128 << 20};
    for (volatile int i = 0; i < 5; i++) {
        size_t left = 0, total = 0;
        MUST(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
#ifdef TRIMMED
        MUST(aclrtMemPoolTrimTo(pool, 0));
#endif
        char *block = device(sizes[i]);
        MUST(aclrtMemset(block, 64, 0, 64));
        MUST(aclrtFree(block));
    }
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
