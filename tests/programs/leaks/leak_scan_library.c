// A block whose pointer only the library has that is named as the argument, and one that an object knows which the program gave to the library; with
// LIBRARY defined, that library.
#ifdef LIBRARY
void *kept, *object;
#else
#include "../rt.h"

#include <dlfcn.h>

__attribute__((noinline)) static void allocate(void **place) {
    *place = device(1000);
    memset(device(64), 0, 0);
}

// As a callback's argument, which the runtime keeps for the program.
__attribute__((noinline)) static void hand_over(void **place) {
    char **object = calloc(4, sizeof *object);
    object[3] = device(3000);
    *place = object;
}

int main(int count, char **arguments) {
    begin();
    void *library = dlopen(count > 1 ? arguments[1] : "", RTLD_NOW);
    if (library == NULL) return 1;
    allocate(dlsym(library, "kept"));
    hand_over(dlsym(library, "object"));
    return 0;
}
#endif
