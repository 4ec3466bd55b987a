//@ flags: -Wl,--as-needed
// Every function is looked up by name and version, in a runtime whose symbols have versions; its path is the argument.
#include "door.h"

int main(int argc, char **argv) {
    void *runtime = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
    if (!runtime) {
        return puts(dlerror()), 9;
    }
#define BY_VERSION(name) dlvsym(runtime, name, "CANN_1")
    struct acl acl = ACL_FROM(BY_VERSION);
    printf("a version that it lacks: %s\n", dlvsym(runtime, "aclrtMalloc", "CANN_2") ? "found" : "not found");
    return use(&acl);
}
