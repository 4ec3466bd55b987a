//@ options: libc_free=1:halt_on_error=1
//@ flags: -Wno-free-nonheap-object
//@ exit: 1
// An address inside a pinned block is passed to libc: reported before libc aborts.
#include "../rt.h"
#include <signal.h>
#include <unistd.h>

static void leave(int number) {
    (void)number;
    _exit(1);
}

int main(void) {
    begin();
    signal(SIGABRT, leave);
    signal(SIGSEGV, leave);
    char *staging = pinned(400);
    free(staging + 16);
    return 0;
}
