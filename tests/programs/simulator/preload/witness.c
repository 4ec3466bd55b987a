/* Preloaded in front of the simulator: counts the calls that reach one name on their
 * way and passes them on. Built once for each name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT(name) #name
#define STRING(name) TEXT(name)

static int seen;

/* Every allocator of the three layers takes the pointer first and at most three words after it. */
int WITNESSED(void **pointer, size_t size, uintptr_t third, uintptr_t fourth)
{
    int (*next)(void **, size_t, uintptr_t, uintptr_t) =
        (int (*)(void **, size_t, uintptr_t, uintptr_t))dlsym(RTLD_NEXT, STRING(WITNESSED));
    if (!next) { /* loaded later, and for one caller only */
        void *library = dlopen("libascendcl.so", RTLD_LAZY | RTLD_NOLOAD);
        next = (int (*)(void **, size_t, uintptr_t, uintptr_t))dlsym(library, STRING(WITNESSED));
    }
    seen++;
    return next(pointer, size, third, fourth);
}

__attribute__((destructor)) static void tell(void)
{
    fprintf(stderr, "%s %d\n", STRING(WITNESSED), seen);
}
