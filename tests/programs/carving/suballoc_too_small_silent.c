// A pool that pads by exactly 32, in both orders; neighbors allocated after the other was released; the last segment, which ends where the block
// does; a framework's regions whose sizes may be rounded.
#include "../annotations/mstx.h"
#include "pool.h"

int main(void) {
    begin();
    char *block = device(8192 + 64);
    aclsan_pool pool = poolOver("padded", block, 8192 + 64);
    size_t used = 0;
    for (size_t length = 1; length < 400; length += 33) {
        aclsan_pool_alloc(pool, block + used, length);
        used = up(used + up(length, 32) + 32, 64);
    }
    aclsan_pool_alloc(pool, block + 8192, 64);
    aclsan_pool_alloc(pool, block + 8192 - 128, 96);
    aclsan_pool_free(pool, block);
    aclsan_pool_alloc(pool, block, 32);
    mstxDomainHandle_t domain = mstxDomainCreateA("framework");
    mstxMemHeapHandle_t heap = careful_heap(domain, block, 8192);
    mstxMemVirtualRangeDesc_t ranges[] = {{0, block, 512}, {0, block + 512, 512}};
    mstxMemRegionHandle_t handles[2];
    careful_alloc(domain, heap, 2, ranges, handles);
    free_by_handle(domain, 2, handles);
    MUST(aclrtFree(block));
    printf("%d segments\n", (int)used);
    end();
    return 0;
}
