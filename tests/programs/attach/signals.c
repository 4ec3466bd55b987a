// The main thread waits for lines and gets numbered real-time signals in bursts from a second thread; a third one calls setuid and setgid, for which
// glibc signals every thread and waits for all. Neither of them is ever at a safe point. Each line is answered with the numbers of signals sent and
// received, and of rounds of the third thread.
#define _GNU_SOURCE
#include "../rt.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_ulong sent, received, rounds, out_of_order;
static atomic_bool is_over;
static pthread_t main_thread;

static void count(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    unsigned long before = atomic_fetch_add(&received, 1);
    if (info->si_code != SI_QUEUE || (unsigned long)info->si_value.sival_int != before) atomic_fetch_add(&out_of_order, 1);
}

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

// Time in which the main thread is where it waits.
static void pause_a_while(void) {
    for (long end = now() + 5000000; now() < end;) sched_yield();
}

static void *send(void *unused) {
    union sigval value = {0};
    while (!atomic_load(&is_over)) {
        value.sival_int = (int)atomic_load(&sent);
        if (pthread_sigqueue(main_thread, SIGRTMIN, value) == 0) atomic_fetch_add(&sent, 1);
        if (atomic_load(&sent) % 16 != 0) continue;
        pause_a_while();
        while (atomic_load(&sent) > atomic_load(&received) + 16 && !atomic_load(&is_over)) sched_yield();
    }
    return unused;
}

static void *change(void *unused) {
    while (!atomic_load(&is_over)) {
        if (setuid(getuid()) != 0 || setgid(getgid()) != 0) exit(8);
        if (atomic_fetch_add(&rounds, 1) % 16 == 0) pause_a_while();
    }
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_sigaction = count, .sa_flags = SA_SIGINFO | SA_RESTART};
    pthread_t threads[2];
    char line[64];
    begin();
    main_thread = pthread_self();
    sigaction(SIGRTMIN, &action, NULL);
    pthread_create(&threads[0], NULL, send, NULL);
    pthread_create(&threads[1], NULL, change, NULL);
    while (fgets(line, sizeof line, stdin) != NULL) {
        printf("%lu %lu %lu\n", atomic_load(&sent), atomic_load(&received), atomic_load(&rounds));
        fflush(stdout);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    while (atomic_load(&received) < atomic_load(&sent)) sched_yield();
    end();
    return atomic_load(&out_of_order) != 0;
}
