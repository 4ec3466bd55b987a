//@ flags: -Wl,--as-needed
// Allocations of a library beside the runtime are not the program's; its releases of the program's blocks count.
#include "door.h"

int main(void) {
    void *library = dlopen("libinternal.so", RTLD_NOW);
    if (!library) {
        return puts(dlerror()), 9;
    }
    int (*begin)(void) = (int (*)(void))dlsym(library, "internal_begin");
    int (*release)(void *) = (int (*)(void *))dlsym(library, "internal_release");
    void *block = NULL;
    int failed = aclInit(NULL) + aclrtSetDevice(0) + begin();
    failed += aclrtMalloc(&block, 1000, ACL_MEM_MALLOC_HUGE_FIRST) + release(block);
    failed += aclrtResetDevice(0) + aclFinalize();
    printf("%d failed\n", failed);
    return failed != 0;
}
