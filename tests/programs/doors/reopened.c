//@ flags: -Wl,--as-needed
// The runtime, whose path is the argument, is opened, used and closed, and all of that again.
#include "door.h"

int main(int argc, char **argv) {
    for (int round = 0; round < 2; round++) {
        void *runtime = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
        if (!runtime) {
            return puts(dlerror()), 9;
        }
#define BY_HANDLE(name) dlsym(runtime, name)
        struct acl acl = ACL_FROM(BY_HANDLE);
        if (use(&acl) != 0 || dlclose(runtime) != 0) {
            return 1;
        }
    }
    return 0;
}
