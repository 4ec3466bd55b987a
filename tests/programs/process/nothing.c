//@ exit: 3
//@ flags: -Wl,--no-as-needed
// Is linked against the runtime, and never calls it.
#include <stdio.h>

int main(void) {
    puts("nothing");
    fputs("to stderr as well\n", stderr);
    return 3;
}
