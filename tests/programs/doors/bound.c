/* A library that is linked with the runtime, and opens another that only its own run path leads to. */
#include "door.h"

int bound(void) {
    void *inner = dlopen("libinner.so", RTLD_NOW | RTLD_DEEPBIND);
    printf("inner: %s\n", inner ? "found" : dlerror());
    struct acl acl = {aclInit, aclrtSetDevice, aclrtMalloc, aclrtFree, aclrtResetDevice, aclFinalize};
    return use(&acl);
}
