// A cache that is emptied before the end; a pool over a part of a block that the program releases; a pool that is destroyed with its memory.
#include "../rt.h"
#include "../annotations/mstx.h"
#include "aclsan.h"

enum { SEGMENT = 2 << 20 };

int main(void) {
    begin();
    mstxDomainHandle_t cache = mstxDomainCreateA("ptaCaching");
    char *segment = device(SEGMENT);
    careless_alloc(cache, segment + 8192, 4096, SEGMENT);
    free_by_pointer(cache, segment + 8192);
    MUST(aclrtFree(segment)); // empty_cache()

    char *block = device(65536);
    aclsan_pool part = aclsan_pool_create("part", block, 4096);
    aclsan_pool_alloc(part, block, 512);
    MUST(aclrtFree(block)); // with the sub-block

    char *arena = device(65536);
    aclsan_pool pool = aclsan_pool_create("arena", arena, 65536);
    aclsan_pool_alloc(pool, arena, 512);
    aclsan_pool_destroy(pool);
    MUST(aclrtFree(arena));
    end();
    return 0;
}
