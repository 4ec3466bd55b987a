//@ options: leak_scan=1
// Reachable and lost blocks at the program's end: pointers in globals, on the heap, into the middle of a block, in none.
#include "../rt.h"

static char *volatile weights; // one block, made once
static char *volatile carved[2]; // pointers into the middle
static char *volatile *volatile list; // on the heap

static char *layer(int i) { return device(1000 * (i + 1)); }

static char *part(void) { return device(4096); }

__attribute__((noinline)) static void forget(void) {
    for (volatile int i = 0; i < 3; i++) memset(device(64), 0, 0); // 3 * 64 bytes, kept nowhere
}

int main(void) {
    begin();
    weights = device(5000);
    list = calloc(3, sizeof *list);
    for (volatile int i = 0; i < 3; i++) list[i] = layer(i); // 1000 + 2000 + 3000 bytes
    for (volatile int i = 0; i < 2; i++) carved[i] = part() + 512;
    forget();
    char *volatile local = pinned(4096); // main's own variable is gone when main is
    MUST(aclrtFree(device(512)));
    end();
    return local == NULL;
}
