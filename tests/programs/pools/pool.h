/* A pool and a stream, besides what all programs share. */
#ifndef PROGRAMS_POOL_H
#define PROGRAMS_POOL_H
#include "../rt.h"
#include "acl/acl_rt_memory_soma.h"

static inline aclrtStream stream_of_ours(void) {
    aclrtStream stream = NULL;
    MUST(aclrtCreateStream(&stream));
    return stream;
}

static inline aclrtMemPool pool_of_ours(void) {
    aclrtMemPoolProps props = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}, .maxSize = 64 << 20};
    aclrtMemPool pool = NULL;
    MUST(aclrtMemPoolCreate(&pool, &props));
    return pool;
}

static inline char *pooled(size_t size, aclrtMemPool pool, aclrtStream stream) {
    void *block = NULL;
    MUST(aclrtMemPoolMallocAsync(&block, size, pool, stream));
    return (char *)block;
}
#endif
