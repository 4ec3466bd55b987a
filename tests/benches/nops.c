/* Forwards the two calls of a pair, each after INSTRUCTIONS that do nothing: what a library costs by the number of its instructions alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#define TEXT(words) #words
#define NOPS(count) __asm__ volatile(".rept " TEXT(count) "\n nop\n .endr")

static int (*allocate)(void **, size_t, int);
static int (*release)(void *);

__attribute__((constructor)) static void find(void) {
    allocate = (int (*)(void **, size_t, int))dlsym(RTLD_NEXT, "aclrtMalloc");
    release = (int (*)(void *))dlsym(RTLD_NEXT, "aclrtFree");
}

int aclrtMalloc(void **block, size_t size, int policy) {
    NOPS(INSTRUCTIONS);
    return allocate(block, size, policy);
}

int aclrtFree(void *block) {
    NOPS(INSTRUCTIONS);
    return release(block);
}
