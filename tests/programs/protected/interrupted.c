//@ env: ACLSIM_STREAM_DELAY_US=100
// A timer's handler touches protected memory, wherever it interrupts the program: in its own code, in a call, in the shim.
#include "protected.h"
#include <signal.h>
#include <sys/time.h>

static char *shared;
static volatile long touched;

static void on_timer(int signal) {
    (void)signal;
    ((volatile char *)shared)[touched++ % (4 * N)] = 1;
}

int main(void) {
    start();
    shared = pinned(4 * N);
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    MUST(sigaction(SIGALRM, &action, NULL));
    struct itimerval often = {{0, 200}, {0, 200}};
    MUST(setitimer(ITIMER_REAL, &often, NULL));
    for (int round = 0; round < 400 || touched < 400; round++) {
        MUST(aclrtMemcpyAsync(shared, 4 * N, source, 4 * N, ACL_MEMCPY_DEVICE_TO_HOST, work));
        MUST(aclrtMemcpyAsync(source, N, shared, N, ACL_MEMCPY_HOST_TO_DEVICE, work));
        char *other = arriving(64);
        MUST(aclrtSynchronizeStream(work));
        MUST(aclrtFreeHost(other));
    }
    struct itimerval never = {{0, 0}, {0, 0}};
    MUST(setitimer(ITIMER_REAL, &never, NULL));
    MUST(aclrtFreeHost(shared));
    finish();
    puts("interrupted");
    return 0;
}
