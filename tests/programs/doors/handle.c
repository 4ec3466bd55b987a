//@ flags: -Wl,--as-needed
// The runtime is opened privately, and every function looked up by that handle.
#include "door.h"

int main(void) {
    void *runtime = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
    if (!runtime) {
        return puts(dlerror()), 9;
    }
#define BY_HANDLE(name) dlsym(runtime, name)
    struct acl acl = ACL_FROM(BY_HANDLE);
    return use(&acl);
}
