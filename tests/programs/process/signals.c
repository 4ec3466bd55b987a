// A signal handler allocates and releases; another timer interrupts everything, all the time.
#include "process.h"
#include <sys/time.h>

static _Atomic int ticks;

static void allocate(int signal) {
    (void)signal;
    pairs(1);
}

static void tick(int signal) {
    (void)signal;
    ticks++;
}

int main(void) {
    begin();
    signal(SIGUSR1, allocate);
    for (int i = 0; i < 5; i++) {
        raise(SIGUSR1);
    }
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 50}, {0, 50}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 100000 || ticks < 100; i++) {
        pairs(1);
        if (i >= 99999 && ticks >= 100) {
            break;
        }
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    end();
    puts(ticks >= 100 ? "interrupted" : "not interrupted");
    return 0;
}
