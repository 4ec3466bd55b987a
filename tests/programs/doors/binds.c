//@ flags: -Wl,--as-needed -Wl,-rpath,$ORIGIN/outer
// Opens a library with RTLD_DEEPBIND, by a name that only this program's run path leads to.
#include "door.h"

int main(void) {
    void *library = dlopen("libbound.so", RTLD_NOW | RTLD_DEEPBIND);
    if (!library) {
        return puts(dlerror()), 9;
    }
    int (*run)(void) = (int (*)(void))dlsym(library, "bound");
    void *apart = dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW);
    printf("another namespace: %s\n", apart && !dlsym(apart, "aclrtMalloc") ? "apart" : "not apart");
    return run();
}
