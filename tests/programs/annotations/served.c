// A pool that serves requests out of one block, in a pattern whose figures can be computed by hand; and bytes that travel between host and
// device by pinned, registered and pageable memory.
#define _GNU_SOURCE
#include "../rt.h"
#include "aclsan.h"
#include <sys/mman.h>

enum { SIZE = 64 << 10, PIECE = 512 << 10 };

int main(void) {
    begin();
    char *block = device(SIZE), *large = device(PIECE);
    aclsan_pool pool = aclsan_pool_create("frames", block, SIZE);
    aclsan_pool_policy(pool, 1024, 1024);
    for (int turn = 0; turn < 10; turn++) {
        aclsan_pool_alloc(pool, block, 992);
        aclsan_pool_alloc(pool, block + 2048, 992);
        aclsan_pool_alloc(pool, block + 8192, 4000);
        aclsan_pool_free(pool, block);
        aclsan_pool_free(pool, block + 2048);
        if (turn < 9) aclsan_pool_free(pool, block + 8192);
    }
    char *pageable = malloc(PIECE), *locked = pinned(PIECE);
    char *own = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *seen;
    MUST(aclrtHostRegister(own, PIECE, ACL_HOST_REGISTER_MAPPED, &seen));
    for (int i = 0; i < 4; i++) {
        MUST(aclrtMemcpy(large, PIECE, pageable, PIECE, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    MUST(aclrtMemcpy(pageable, 100, large, 100, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemcpy(locked, PIECE, large, PIECE, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemcpy(large, PIECE, own, PIECE, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(large, 64, block, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
    MUST(aclrtHostUnregister(own));
    free(pageable);
    MUST(aclrtFreeHost(locked));
    MUST(aclrtFree(large));
    aclsan_epoch("last");
    MUST(munmap(own, PIECE) == 0 ? 0 : 1);
    _Exit(0);
}
