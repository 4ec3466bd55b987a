// A signal handler allocates and releases; a timer interrupts everything, all the time. With an argument, nothing that it interrupts goes
// on by itself.
#include "process.h"
#include <time.h>

static _Atomic int ticks;

static void allocate(int signal) {
    (void)signal;
    pairs(1);
}

static void tick(int signal) {
    (void)signal;
    ticks++;
}

int main(int argc, char **argv) {
    (void)argv;
    begin();
    signal(SIGUSR1, allocate);
    for (int i = 0; i < 5; i++) {
        raise(SIGUSR1);
    }
    struct sigaction action = {.sa_handler = tick, .sa_flags = argc > 1 ? 0 : SA_RESTART};
    sigaction(SIGUSR2, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    struct itimerspec often = {{0, 50000}, {0, 50000}}, never = {{0, 0}, {0, 0}};
    timer_t timer;
    MUST(timer_create(CLOCK_MONOTONIC, &event, &timer));
    MUST(timer_settime(timer, 0, &often, NULL));
    for (int i = 0; i < 20000 || ticks < 100; i++) {
        pairs(1);
    }
    MUST(timer_settime(timer, 0, &never, NULL));
    end();
    puts("interrupted");
    return 0;
}
