// A signal handler allocates and releases; a timer interrupts everything, all the time.
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

int main(void) {
    begin();
    signal(SIGUSR1, allocate);
    for (int i = 0; i < 5; i++) {
        raise(SIGUSR1);
    }
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
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
