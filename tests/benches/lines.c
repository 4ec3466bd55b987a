/* Forwards the two calls of a pair, and in each writes one word of a table that has 32 bytes a block, by the block's address: the waits for memory
 * that no table of live blocks can do without. A lock is taken for it, which waits for all stores before, also the program's own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { SLOT_BYTES = 32 };

static int (*allocate)(void **, size_t, int);
static int (*release)(void *);
static unsigned char *table;
static char lock;

__attribute__((constructor)) static void find(void) {
    allocate = (int (*)(void **, size_t, int))dlsym(RTLD_NEXT, "aclrtMalloc");
    release = (int (*)(void *))dlsym(RTLD_NEXT, "aclrtFree");
    table = mmap(NULL, (size_t)BLOCKS * SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void touch(const void *block) {
    uint64_t hash = (uint64_t)(uintptr_t)block * 0x9E3779B97F4A7C15u;
    uint64_t slot = (uint64_t)(((unsigned __int128)hash * BLOCKS) >> 64);
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {
    }
    *(uint64_t *)(table + slot * SLOT_BYTES) += hash;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

int aclrtMalloc(void **block, size_t size, int policy) {
    int result = allocate(block, size, policy);
    touch(*block);
    return result;
}

int aclrtFree(void *block) {
    touch(block);
    return release(block);
}
