//@ run
// The functions of these that the runtime has: the last two came after CANN 8.1 (data sheet, 13). References to them are weak.
#include "acl/acl.h"
#include <stdio.h>

#pragma weak aclrtFreeWithDevSync
#pragma weak aclFinalizeReference

int main(void) {
    void *block = NULL;
    if (aclInit(NULL) || aclrtSetDevice(0) || aclrtMalloc(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST)) {
        return 1;
    }
    printf("aclrtMalloc");
    if (aclrtFreeWithDevSync) {
        printf(" aclrtFreeWithDevSync");
    }
    if (aclFinalizeReference) {
        printf(" aclFinalizeReference");
    }
    puts("");
    return aclrtFree(block) + aclrtResetDevice(0) + aclFinalize();
}
