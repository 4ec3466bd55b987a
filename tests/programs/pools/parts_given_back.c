// The program's own pool takes a part back twice, in its middle, and where it has handed out nothing. To the runtime, all of it is one block.
#include "../rt.h"
#include "aclsan.h"

int main(void) {
    begin();
    char *block = device(65536);
    aclsan_pool pool = aclsan_pool_create("activations", block, 65536);
    aclsan_pool_alloc(pool, block, 4096);
    aclsan_pool_free(pool, block);
    aclsan_pool_free(pool, block);

    aclsan_pool_alloc(pool, block + 8192, 4096);
    aclsan_pool_free(pool, block + 8192 + 512);
    aclsan_pool_free(pool, block + 8192);
    aclsan_pool_free(pool, block + 32768);
    aclsan_pool_destroy(pool);
    MUST(aclrtFree(block));
    end();
    return 0;
}
