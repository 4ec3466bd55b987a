// A runtime (the argument) that is closed more often than it was opened, and opened again.
#include "odd.h"
#include <dlfcn.h>

int main(int argc, char **argv) {
    for (int round = 0; round < 3 && argc > 1; round++) {
        void *block = NULL, *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        int (*allocate)(void **, size_t, int) = (int (*)(void **, size_t, int))dlsym(library, "aclrtMalloc");
        int (*release)(void *) = (int (*)(void *))dlsym(library, "aclrtFree");
        for (int i = 0; i < 10; i++) {
            printf("%d %d\n", allocate(&block, 64, 0), release(block));
        }
        for (int i = 0; i < 4 && dlopen(argv[1], RTLD_LAZY | RTLD_NOLOAD) != NULL; i++) {
            dlclose(library);
            dlclose(library);
        }
    }
    return 0;
}
