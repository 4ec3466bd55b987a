// One thread waits in `setuid` for the main thread, which has blocked the signal that it would answer, and computes until an alarm ends the process.
#define _GNU_SOURCE
#include "../rt.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool is_blocked;

static void *change(void *unused) {
    while (!atomic_load(&is_blocked)) sched_yield();
    if (setuid(getuid()) != 0) exit(8);
    return unused;
}

int main(void) {
    pthread_t thread;
    unsigned long setxid = 1UL << (33 - 1); // libc's own, which `sigprocmask` does not block
    begin();
    alarm(120);
    MUST(pthread_create(&thread, NULL, change, NULL)); // It unblocks the signal.
    MUST(syscall(SYS_rt_sigprocmask, 0, &setxid, NULL, sizeof setxid));
    atomic_store(&is_blocked, true);
    puts("begun");
    fflush(stdout);
    volatile unsigned long sum = 0;
    for (;;) sum++;
}
