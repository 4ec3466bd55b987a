/* A pool over a manually suballocated block, with annotations. */
#ifndef PROGRAMS_CARVING_POOL_H
#define PROGRAMS_CARVING_POOL_H
#include "../rt.h"
#include "aclsan.h"

static inline aclsan_pool poolOver(const char *name, char *block, size_t size) {
    MUST(aclrtMemset(block, size, 0, size));
    return aclsan_pool_create(name, block, size);
}

static inline size_t up(size_t size, size_t to) {
    return (size + to - 1) / to * to;
}
#endif
