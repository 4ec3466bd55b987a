// The last segment of a pool leaves its block, another its pool, a third is in a different block than its pool; then a data buffer with more
// bytes than are left after its address.
#include "pool.h"

int main(void) {
    begin();
    char *block = device(4096), *other = device(4096);
    aclsan_pool pool = poolOver("frames", block, 4096);
    aclsan_pool_alloc(pool, block, 3072);
    aclsan_pool_alloc(pool, block + 3584, 640);
    aclsan_pool half = poolOver("half", other, 2048);
    aclsan_pool_alloc(half, other + 1984, 65);
    aclsan_pool_alloc(half, block + 3200, 64);
    aclDataBuffer *buffer = aclCreateDataBuffer(other + 3072, 2048);
    MUST(aclDestroyDataBuffer(buffer));
    MUST(aclrtFree(block));
    MUST(aclrtFree(other));
    end();
    return 0;
}
