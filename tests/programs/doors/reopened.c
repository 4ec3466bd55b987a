//@ flags: -Wl,--as-needed
// The runtime is opened, used and closed, and all of that again.
#include "door.h"

int main(void) {
    for (int round = 0; round < 2; round++) {
        void *runtime = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
        if (!runtime) {
            return puts(dlerror()), 9;
        }
#define BY_HANDLE(name) dlsym(runtime, name)
        struct acl acl = ACL_FROM(BY_HANDLE);
        if (use(&acl) != 0 || dlclose(runtime) != 0) {
            return 1;
        }
        // Whatever is loaded next may take its place.
        for (int i = 0; i < 3; i++) {
            dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
        }
    }
    return 0;
}
