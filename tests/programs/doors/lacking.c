//@ flags: -Wl,--as-needed
// Functions that a runtime lacks are not found, and dlerror says so; private ones are not found globally. Its path is the argument.
#include "door.h"

static void tell(const char *how, void *found) {
    const char *error = dlerror();
    printf("%s: %s, %s\n", how, found ? "found" : "not found", error ? "with an error" : "no error");
}

int main(int argc, char **argv) {
    tell("before it is loaded", dlsym(RTLD_DEFAULT, "aclrtMalloc"));
    void *runtime = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
    if (!runtime) {
        return puts(dlerror()), 9;
    }
    tell("what it has", dlsym(runtime, "aclrtFree"));
    tell("what it lacks", dlsym(runtime, "aclrtFreeWithDevSync"));
    tell("what it has, everywhere", dlsym(RTLD_DEFAULT, "aclrtFree"));
    tell("what it lacks, everywhere", dlsym(RTLD_DEFAULT, "aclrtFreeWithDevSync"));
    dlopen(argv[argc - 1], RTLD_NOW | RTLD_GLOBAL);
    tell("what it has, everywhere, once global", dlsym(RTLD_DEFAULT, "aclrtFree"));
    tell("what it lacks, everywhere, once global", dlsym(RTLD_DEFAULT, "aclrtFreeWithDevSync"));
    dlopen("/no/such/library.so", RTLD_NOW);
    tell("an error of before", dlsym(runtime, "aclrtFree"));
    return 0;
}
