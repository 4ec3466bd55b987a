// Two functions with the same mistakes, of which a team knows one; and a library that keeps a block. The log says which is which.
#include "../rt.h"
#include <dlfcn.h>

static void __attribute__((noinline)) accepted(void) {
    char *block = device(4096);
    MUST(aclrtFree(block));
    aclrtFree(block);
    device(1 << 20);
}

static void __attribute__((noinline)) fresh(void) {
    char *block = device(4096);
    MUST(aclrtFree(block));
    aclrtFree(block);
    device(1 << 20);
}

int main(int count, char **arguments) {
    begin();
    accepted();
    fresh();
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    void (*keep)(void) = library ? (void (*)(void))dlsym(library, "keep") : NULL;
    if (keep) {
        keep();
    }
    end();
    return keep ? 0 : 1;
}
