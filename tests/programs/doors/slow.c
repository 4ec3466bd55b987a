/* A third-party preload after ours: a runtime that takes 60 µs for each block of 4096 bytes and more (guards add to it). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int aclrtMalloc(void **block, size_t size, int policy) {
    int (*next)(void **, size_t, int) = (int (*)(void **, size_t, int))dlsym(RTLD_NEXT, "aclrtMalloc");
    long long until = now() + 60000;
    int status = next(block, size, policy);
    while (size >= 4096 && now() < until) {
    }
    return status;
}
