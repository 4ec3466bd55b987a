//@ options: libc_free=1
// Host memory between, before and after blocks, correctly released by libc, also at a released block's address.
#include "../rt.h"

int main(void) {
    char *early = malloc(100);
    begin();
    void *kept[50];
    for (int i = 0; i < 50; i++) {
        char *staging = pinned(5000);
        kept[i] = malloc(5000);
        char *block = device(5000);
        MUST(aclrtFreeHost(staging));
        kept[i] = realloc(kept[i], 70000);
        MUST(aclrtFree(block));
    }
    for (int i = 0; i < 50; i++) {
        free(kept[i]);
    }
    char *last = pinned(64);
    free(NULL);
    free(early);
    MUST(aclrtFreeHost(last));
    end();
    free(reallocarray(NULL, 10, 10));
    return 0;
}
