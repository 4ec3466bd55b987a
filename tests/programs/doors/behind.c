/* A third-party preload: counts calls of a libc function and of AscendCL, and forwards them to the next library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

static int lines, blocks, depth;

int puts(const char *line) {
    int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "puts");
    if (next == puts || ++depth > 3) {
        return fprintf(stderr, "puts found itself\n");
    }
    lines++;
    int written = next(line);
    depth--;
    return written;
}

int aclrtMalloc(void **block, size_t size, int policy) {
    int (*next)(void **, size_t, int) = (int (*)(void **, size_t, int))dlsym(RTLD_NEXT, "aclrtMalloc");
    if (next == aclrtMalloc || ++depth > 3) {
        fprintf(stderr, "aclrtMalloc found itself\n");
        return -1;
    }
    blocks++;
    int status = next(block, size, policy);
    depth--;
    return status;
}

__attribute__((destructor)) static void tell(void) {
    fprintf(stderr, "behind: %d lines, %d blocks\n", lines, blocks);
}
