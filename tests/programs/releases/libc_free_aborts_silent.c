//@ flags: -Wno-free-nonheap-object -Wno-use-after-free
//@ options: guard=off
//@ exit: 134
// libc aborts about memory of its own, while blocks are at hand: none of them was given to it.
#include "../rt.h"
#include <sys/resource.h>

/* Blocks in registers, which libc saves on its way. */
__attribute__((noinline)) static void corrupt(char *one, char *two, char *three, char **all) {
    *(volatile long *)(one - 8) = -1;
    char *volatile own = malloc(4000);
    *(volatile long *)(own - 8) = -1;
    free(own);
    all[0] = one + 1;
    all[1] = two + 1;
    all[2] = three + 1;
}

int main(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    begin();
    char *blocks[3] = {pinned(4096), pinned(4096), pinned(4096)};
    char *high = blocks[0];
    for (int i = 1; i < 3; i++) {
        high = blocks[i] > high ? blocks[i] : high;
    }
    corrupt(high, high, high, blocks);
    return 0;
}
