// Parts of the program's own pool: one is written after it was given back, copies read and write past the end of another.
#include "../rt.h"
#include "aclsan.h"

int main(void) {
    begin();
    char *block = device(65536), host[8192] = {0};
    aclsan_pool pool = aclsan_pool_create("activations", block, 65536);
    aclsan_pool_alloc(pool, block, 4096);
    aclsan_pool_alloc(pool, block + 8192, 4096);
    MUST(aclrtMemcpy(block, 8192, host, 4100, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(host, 8192, block + 64, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    aclsan_pool_free(pool, block);
    MUST(aclrtMemset(block + 1024, 1024, 0, 1024));
    MUST(aclrtMemcpy2d(host, 64, block, 64, 64, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    aclsan_pool_free(pool, block + 8192);
    aclsan_pool_destroy(pool);
    MUST(aclrtFree(block));
    end();
    return 0;
}
