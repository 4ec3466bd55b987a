// A weak reference to a call that CANN 8.1 lacks: whether or not it resolves, nothing crashes and the loader loads the program.
#include "door.h"

#pragma weak aclrtFreeWithDevSync

int main(void) {
    void *block = NULL;
    int failed = aclInit(NULL) + aclrtSetDevice(0) + aclrtMalloc(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST);
    void *runtime = dlopen("libascendcl.so", RTLD_LAZY);
    printf("looked up: %s\n", dlsym(runtime, "aclrtFreeWithDevSync") ? "found" : "not found");
    if (!aclrtFreeWithDevSync || aclrtFreeWithDevSync(block) != ACL_SUCCESS) {
        failed += aclrtFree(block);
    }
    return failed + aclrtResetDevice(0) + aclFinalize();
}
