/* A library whose constructor runs before most others', and allocates; its destructor releases. */
#include "acl/acl.h"
#include <stdio.h>

static void *block;

__attribute__((constructor)) static void allocate(void) {
    int failed = aclInit(NULL) + aclrtSetDevice(0) + aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    printf("early: %d failed\n", failed);
    fflush(stdout);
}

__attribute__((destructor)) static void release(void) {
    printf("late: %d\n", aclrtFree(block));
    fflush(stdout);
}
