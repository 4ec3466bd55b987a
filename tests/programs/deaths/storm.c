// A timer interrupts everything all the time, hooks included; its handler allocates and releases. The argument says how often.
#include "../process/process.h"
#include <time.h>

static _Atomic long ticks;

static void tick(int signal) {
    (void)signal;
    ticks++;
    pairs(1);
}

static void work(void) {
    pairs(1);
}

int main(int argc, char **argv) {
    long enough = argc > 1 ? atol(argv[1]) : 1;
    stack_t other = {.ss_sp = malloc(1 << 18), .ss_size = 1 << 18};
    sigaltstack(&other, NULL);
    begin();
    work();
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigaction(SIGUSR2, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    struct itimerspec often = {{0, 100000}, {0, 100000}}, never = {{0, 0}, {0, 0}};
    timer_t timer;
    MUST(timer_create(CLOCK_MONOTONIC, &event, &timer));
    MUST(timer_settime(timer, 0, &often, NULL));
    long seen = 0;
    for (unsigned path = 1; ticks < enough; path = path * 1103515245u + 12345u) {
        descend(12, path >> 8, work);
        if (ticks - seen > 1000) {
            seen = ticks;
            alarm(60);
        }
    }
    MUST(timer_settime(timer, 0, &never, NULL));
    end();
    puts("interrupted");
    return 0;
}
