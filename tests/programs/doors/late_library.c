//@ flags: -Wl,--as-needed
// A call whose library is not loaded, and then is; only under a preload that exports the call is the reference not null.
#include "door.h"
#include "acl/ops/acl_dvpp.h"

#pragma weak acldvppMalloc
#pragma weak acldvppFree

static int once(const char *when) {
    void *block = NULL;
    int status = acldvppMalloc ? acldvppMalloc(&block, 100) : -1;
    printf("%s: %d\n", when, status);
    return status == 0 ? acldvppFree(block) : 0;
}

int main(void) {
    int failed = aclInit(NULL) + aclrtSetDevice(0);
    failed += once("before") + once("before");
    failed += dlopen("libacl_dvpp.so", RTLD_NOW | RTLD_GLOBAL) == NULL;
    failed += once("after");
    return failed + aclrtResetDevice(0) + aclFinalize();
}
