//@ options: leak_scan=1
// One reachable block and one lost block, and several ways to end: `return`, nested `exit`, `_exit` after finalizing, `abort`,
// a forked child, another thread that still works and alone knows the block, a register that alone knows it.
#include "../rt.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static char *volatile known[2];

__attribute__((noinline)) static void allocate(int lost) {
    for (volatile int i = 0; i < 2; i++) known[i] = device(1000);
    for (volatile int i = 0; i < lost; i++) memset(device(64), 0, 0);
}

static sem_t ready, never;

static void *hold(void *unused) {
    MUST(aclrtSetDevice(0));
    char *volatile own = device(2000);
    MUST(sem_post(&ready));
    sem_wait(&never);
    return own == unused ? NULL : (void *)own;
}

__attribute__((noinline)) static void leave(void) {
    char *volatile own[2] = {device(300), device(300)}; // a live frame, when `exit` is called from it
    exit(own[0] == own[1]);
}

#if defined(__x86_64__)
#define KEPT "rbx"
#elif defined(__aarch64__)
#define KEPT "x19"
#endif

// A register that calls leave as it was is all that knows the block.
__attribute__((noinline)) static void keep(void) {
    register char *own __asm__(KEPT) = device(400);
    __asm__ volatile("" : "+r"(own));
    end();
    __asm__ volatile("" : "+r"(own));
    _exit(0);
}

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "return";
    if (!strcmp(way, "fork")) {
        int child = fork();
        if (child != 0) return waitpid(child, &child, 0) < 0 || child != 0;
    }
    begin();
    allocate(3);
    if (!strcmp(way, "exit")) leave();
    if (!strcmp(way, "register")) keep();
    if (!strcmp(way, "abort")) abort();
    if (!strcmp(way, "thread")) {
        pthread_t thread;
        sem_init(&ready, 0, 0);
        sem_init(&never, 0, 0);
        MUST(pthread_create(&thread, NULL, hold, NULL));
        sem_wait(&ready);
        return 0;
    }
    end();
    if (!strcmp(way, "_exit")) _exit(0);
    return 0;
}
