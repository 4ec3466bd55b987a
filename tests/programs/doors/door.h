/* An AscendCL that was looked up, and ten pairs of an allocation and a release on it. */
#ifndef PROGRAMS_DOOR_H
#define PROGRAMS_DOOR_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "acl/acl.h"
#include <dlfcn.h>
#include <stdio.h>

#define PAIRS 10

struct acl {
    aclError (*init)(const char *);
    aclError (*set_device)(int32_t);
    aclError (*malloc)(void **, size_t, aclrtMemMallocPolicy);
    aclError (*free)(void *);
    aclError (*reset_device)(int32_t);
    aclError (*finalize)(void);
};

/* `find` takes a name and returns an address. */
#define ACL_FROM(find)                                              \
    (struct acl) {                                                  \
        find("aclInit"), find("aclrtSetDevice"), find("aclrtMalloc"), \
            find("aclrtFree"), find("aclrtResetDevice"), find("aclFinalize") \
    }

static inline int use(const struct acl *acl) {
    int failed = acl->init(NULL) + acl->set_device(0);
    for (int i = 0; i < PAIRS; i++) {
        void *block = NULL;
        failed += acl->malloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
        failed += acl->free(block);
    }
    failed += acl->reset_device(0) + acl->finalize();
    printf("%d pairs, %d failed\n", PAIRS, failed);
    return failed != 0;
}
#endif
