/* A library that allocates and releases; ROUTINE names the function that does. */
#include "acl/acl.h"

__attribute__((noinline)) int ROUTINE(void) {
    void *block = NULL;
    int status = aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    return status + aclrtFree(block);
}
