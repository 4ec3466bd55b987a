/* Kernels that touch a given range of device memory. */
#ifndef PROGRAMS_FENCE_H
#define PROGRAMS_FENCE_H
#include "../rt.h"
#include "acl/acl_rt_memory_soma.h"

struct range {
    char *start;
    size_t size;
};

static inline void zero(void *args) {
    static const char zeros[8192];
    const struct range *range = (const struct range *)args;
    aclsimStore(range->start, zeros, range->size);
}

static inline void sum(void *args) {
    char bytes[8192];
    const struct range *range = (const struct range *)args;
    aclsimLoad(range->start, bytes, range->size);
}

static inline void launch(void (*kernel)(void *), char *start, size_t size, aclrtStream stream) {
    struct range range = {start, size};
    MUST(aclrtLaunchKernelWithHostArgs((void *)kernel, 1, stream, NULL, &range, sizeof range, NULL, 0));
}
#endif
