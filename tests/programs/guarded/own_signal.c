//@ options: snapshot_signal=USR1
// The program handles the signal itself, from before its first call on: it stays the program's.
#include "../rt.h"
#include <signal.h>

static volatile sig_atomic_t count;

static void on_signal(int number) {
    (void)number;
    count++;
}

int main(void) {
    signal(SIGUSR1, on_signal);
    begin();
    raise(SIGUSR1);
    MUST(aclrtFree(device(64)));
    end();
    printf("%d\n", (int)count);
    return 0;
}
