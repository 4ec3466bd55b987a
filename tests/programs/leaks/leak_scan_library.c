// A block whose pointer only the library has that is named as the argument; with LIBRARY defined, that library.
#ifdef LIBRARY
void *kept;
#else
#include "../rt.h"

#include <dlfcn.h>

__attribute__((noinline)) static void allocate(void **place) {
    *place = device(1000);
    memset(device(64), 0, 0);
}

int main(int count, char **arguments) {
    begin();
    void *library = dlopen(count > 1 ? arguments[1] : "", RTLD_NOW);
    if (library == NULL) return 1;
    allocate(dlsym(library, "kept"));
    return 0;
}
#endif
