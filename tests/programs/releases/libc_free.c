//@ options: libc_free=1
//@ flags: -Wno-free-nonheap-object
// Blocks that are given to libc. Each time libc reads where the host cannot; the program survives by jumping out of the signal.
#include "../rt.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf before;

static void survive(int number) {
    (void)number;
    siglongjmp(before, 1);
}

#define ATTEMPT(release)             \
    if (sigsetjmp(before, 1) == 0) { \
        release;                     \
    }

int main(void) {
    begin();
    signal(SIGSEGV, survive);
    char *volatile block = device(400);
    char *volatile picture = dvpp(400);
    void *volatile moved = NULL;
    ATTEMPT(free(block));
    ATTEMPT(moved = realloc(block + 64, 800));
    ATTEMPT(free(picture));
    if (moved) {
        return 9; // libc had something to move
    }
    MUST(aclrtFree(block));
    MUST(acldvppFree(picture));
    end();
    return 0;
}
