// Segments without the padding: right after the first, then before an existing one, then in the space that the pool's own
// rounding takes.
#include "pool.h"

int main(void) {
    begin();
    char *block = device(8192);
    aclsan_pool pool = poolOver("packed", block, 8192);
    aclsan_pool_alloc(pool, block, 320);
    aclsan_pool_alloc(pool, block + 320, 64);
    aclsan_pool_alloc(pool, block + 1088, 64);
    aclsan_pool_alloc(pool, block + 1024, 64);
    aclsan_pool_policy(pool, 64, 1024);
    aclsan_pool_alloc(pool, block + 4096, 64);
    aclsan_pool_alloc(pool, block + 4608, 64);
    MUST(aclrtFree(block));
    end();
    return 0;
}
