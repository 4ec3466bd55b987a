//@ flags: -Wl,--as-needed -ldl
// The first realloc of the process is libc's own, for the text of a load that has failed. It must return the chunk that it was given, grown.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    void *one = malloc(20), *two = malloc(20);
    free(one);
    free(two);
    dlopen("libdoes_not_exist.so", RTLD_NOW);
    const char *error = dlerror();
    puts(error ? error : "none");
    for (int i = 0; i < 8; i++) {
        char *shorter = malloc(15), *longer = malloc(17);
        memset(shorter, 1, 15);
        memset(longer, 1, 17);
    }
    puts("alive");
    return 0;
}
