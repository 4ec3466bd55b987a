//@ options: host_access=trap
//@ env: ACLSIM_STREAM_DELAY_US=20000
// Ends by a fault of its own while memory is protected from it.
#include "protected.h"
#include <signal.h>

int main(int count, char **words) {
    start();
    arriving(N);
    puts("before");
    fflush(stdout);
    switch (count > 1 ? words[1][0] : 'n') {
    case 'n': *(volatile char *)16 = 1; break;
    case 'r': raise(SIGSEGV); break;
    case 'k': kill(getpid(), SIGSEGV); for (;;) pause();
    case 'c': ((void (*)(void))source)(); break;
    case 'i': signal(SIGSEGV, SIG_IGN); *(volatile char *)16 = 1; break;
    case 'a': abort();
    }
    puts("after");
    return 0;
}
