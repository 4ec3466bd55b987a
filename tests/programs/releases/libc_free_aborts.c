//@ flags: -Wno-free-nonheap-object
//@ options: guard=off:verbose=0
//@ exit: 134
// A pinned block is given to libc, which aborts: where it looks for the size of its chunk, the block before has zeros.
#include "../rt.h"
#include <sys/resource.h>

int main(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    begin();
    char *first = pinned(4096);
    char *second = pinned(4096);
    char *volatile later = first < second ? second : first;
    *(volatile long *)(later - 8) = 0;
    free(later);
    return 0;
}
