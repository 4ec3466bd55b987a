/* What the programs share: a device that is set, and calls that must succeed. */
#ifndef PROGRAMS_RT_H
#define PROGRAMS_RT_H
#include "acl/acl.h"
#include "acl/dvpp/hi_dvpp.h"
#include "acl/ops/acl_dvpp.h"
#include "aclsim.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call)                                                      \
    do {                                                                \
        int must_status = (call);                                       \
        if (must_status != 0) {                                         \
            fprintf(stderr, "%s returned %d\n", #call, must_status);    \
            exit(9);                                                    \
        }                                                               \
    } while (0)

static inline void begin(void) {
    MUST(aclInit(NULL));
    MUST(aclrtSetDevice(0));
}

static inline void end(void) {
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
}

static inline char *device(size_t size) {
    void *block = NULL;
    MUST(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return (char *)block;
}

static inline char *pinned(size_t size) {
    void *block = NULL;
    MUST(aclrtMallocHost(&block, size));
    return (char *)block;
}

static inline char *dvpp(size_t size) {
    void *block = NULL;
    MUST(acldvppMalloc(&block, size));
    return (char *)block;
}
#endif
