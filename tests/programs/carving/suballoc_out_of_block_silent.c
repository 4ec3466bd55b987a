// Pools that are right at the very edges: a segment that is the whole block, one that ends with it, one that ends with its pool; a pool without
// a range; a buffer over the rest of a block.
#include "pool.h"

int main(void) {
    begin();
    char *block = device(4096), *other = device(4096);
    aclsan_pool pool = poolOver("frames", block, 4096);
    aclsan_pool_alloc(pool, block, 4096);
    aclsan_pool_free(pool, block);
    aclsan_pool_alloc(pool, block + 4032, 64);
    aclsan_pool half = poolOver("half", other, 2048);
    aclsan_pool_alloc(half, other + 1984, 64);
    aclsan_pool anywhere = aclsan_pool_create("anywhere", NULL, 0);
    aclsan_pool_alloc(anywhere, block + 128, 64);
    aclsan_pool_alloc(anywhere, other + 128, 64);
    aclDataBuffer *buffer = aclCreateDataBuffer(other + 3072, 1024);
    MUST(aclDestroyDataBuffer(buffer));
    MUST(aclrtFree(block));
    MUST(aclrtFree(other));
    end();
    return 0;
}
