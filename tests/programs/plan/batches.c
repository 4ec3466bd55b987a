// A pool whose parts come and go in batches of growing sizes: each batch but its last part is released before the next one.
#include "../rt.h"
#include "aclsan.h"

#define MIB ((size_t)1 << 20)

int main(void) {
    begin();
    void *weights = device(10 * MIB);
    char *block = device(128 * MIB), *next = block;
    aclsan_pool pool = aclsan_pool_create("batches", block, 128 * MIB);
    for (size_t size = 4 * MIB; size <= 6 * MIB; size += MIB) {
        const char *names[] = {"four", "five", "six"};
        char *parts[6];
        aclsan_epoch(names[size / MIB - 4]);
        for (int i = 0; i < 6; i++, next += size + MIB) {
            parts[i] = next;
            aclsan_pool_alloc(pool, next, size);
        }
        for (int i = 0; i < 5; i++) aclsan_pool_free(pool, parts[i]);
    }
    aclsan_pool_destroy(pool);
    MUST(aclrtFree(block));
    MUST(aclrtFree(weights));
    end();
    return 0;
}
