//@ flags: -Wl,--no-as-needed
// The shape of torch_npu: allocations through a loader of functions, releases by a plain call. The loader opens the library when it is
// first asked and closes it at the end. In its new form (argument `new`) it asks the whole program first, if anything is preloaded.
#include "door.h"
#include <stdlib.h>
#include <string.h>

static void *library;
static int asks_everywhere;

static void *get(const char *name) {
    const char *preload = getenv("LD_PRELOAD");
    if (asks_everywhere && preload && *preload) {
        void *found = dlsym(RTLD_DEFAULT, name);
        if (found) {
            return found;
        }
    }
    if (!library) {
        library = dlopen("libascendcl.so", RTLD_LAZY);
    }
    return library ? dlsym(library, name) : NULL;
}

__attribute__((destructor)) static void unload(void) {
    if (library) {
        dlclose(library);
    }
}

int main(int argc, char **argv) {
    asks_everywhere = argc > 1 && strcmp(argv[1], "new") == 0;
    typedef aclError (*Malloc)(void **, size_t, aclrtMemMallocPolicy);
    static Malloc allocate;
    int failed = aclInit(NULL) + aclrtSetDevice(0);
    for (int i = 0; i < PAIRS; i++) {
        void *block = NULL;
        allocate = allocate ? allocate : (Malloc)get("aclrtMallocAlign32");
        failed += allocate(&block, 512, ACL_MEM_MALLOC_HUGE_FIRST);
        failed += aclrtFree(block);
    }
    failed += aclrtResetDevice(0) + aclFinalize();
    printf("%d failed, a name that nobody has: %s\n", failed, get("aclrtNoSuchCall") ? "found" : "not found");
    return failed != 0;
}
