// A pool of the program's own, used as its owner may: parts given back once, by another order than they were handed out, memory handed out again
// in other sizes, all of it filled and saved at once, used after the pool is gone; parts inside a part.
#include "../rt.h"
#include "aclsan.h"

int main(void) {
    begin();
    char *block = device(65536), *saved = pinned(65536);
    MUST(aclrtMemset(block, 65536, 0, 65536));
    aclsan_pool pool = aclsan_pool_create("activations", block, 65536);
    for (int step = 0; step < 3; step++) {
        size_t size = 4096u << step;
        aclsan_pool_alloc(pool, block, size);
        aclsan_pool_alloc(pool, block + 32768, 512);
        MUST(aclrtMemset(block, size, step, size));
        MUST(aclrtMemcpy(block + 32768, 512, block, 512, ACL_MEMCPY_DEVICE_TO_DEVICE));
        MUST(aclrtMemcpy(saved, 65536, block, 65536, ACL_MEMCPY_DEVICE_TO_HOST));
        aclsan_pool_free(pool, block);
        MUST(aclrtMemset(block + 32768, 512, 0, 512));
        aclsan_pool_free(pool, block + 32768);
    }
    aclsan_pool_alloc(pool, block, 32768);
    aclsan_pool inner = aclsan_pool_create("a sequence", block, 32768);
    aclsan_pool_alloc(inner, block, 1024);
    aclsan_pool_alloc(inner, block + 2048, 1024);
    MUST(aclrtMemset(block + 2048, 1024, 1, 1024));
    aclsan_pool_free(inner, block);
    aclsan_pool_free(inner, block + 2048);
    aclsan_pool_destroy(inner);
    MUST(aclrtMemset(block, 32768, 2, 32768));
    aclsan_pool_free(pool, block);
    aclsan_pool_destroy(pool);
    MUST(aclrtMemset(block, 4096, 2, 4096));
    MUST(aclrtFree(block));
    MUST(aclrtFreeHost(saved));
    end();
    return 0;
}
