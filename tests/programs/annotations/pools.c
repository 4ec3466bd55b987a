/* A program that tells aclsan about its pool, its steps and what not to look at. It does the same whether anybody listens. */
#include "../rt.h"
#include "aclsan.h"

int main(void) {
    begin();
    enum { SIZE = 1 << 20 };
    char *block = device(SIZE);
    aclsan_name_block(block, "activations");
    aclsan_pool pool = aclsan_pool_create("activations", block, SIZE);
    aclsan_pool_policy(pool, 512, 512);
    for (int step = 0; step < 3; step++) {
        char name[16];
        snprintf(name, sizeof name, "step %d", step);
        aclsan_epoch(name);
        aclsan_pool_alloc(pool, block, 1000);
        aclsan_pool_alloc_on(pool, block + 1536, 2000, NULL);
        MUST(aclrtMemset(block, 1000, 0, 1000));
        aclsan_pool_free(pool, block);
        aclsan_pool_free_on(pool, block + 1536, NULL);
    }
    aclsan_pool_alloc(pool, block + 4096, 64);          /* never released */
    aclsan_pool_alloc(pool, block + 4128, 64);          /* shares 32 bytes with it */
    aclsan_pool_alloc(pool, block + SIZE - 32, 64);     /* leaves the pool */
    aclsan_snapshot("full");

    aclsan_pool gone = aclsan_pool_create("short-lived", NULL, 0);
    aclsan_pool_alloc(gone, block + 8192, 64);
    aclsan_pool_destroy(gone);
    aclsan_pool_free(gone, block + 8192);

    aclsan_ignore_begin();
    aclsan_ignore_begin();
    char *cache = device(5000);
    MUST(aclrtFree(device(32)));
    aclsan_ignore_end();
    MUST(aclrtMemset(cache, 9000, 0, 5000)); /* would be a finding: the block has 5000 bytes */
    aclsan_ignore_end();
    aclsan_ignore_end(); /* one too many does nothing */

    void *named = device(77);
    aclsan_name_block((char *)named + 5, "weights");
    printf("%d changed\n", (int)aclsan_check());
    end();
    return 0;
}
