//@ options: host_access=trap
//@ env: ACLSIM_STREAM_DELAY_US=20000
// Faults of the program's own, and its handlers of SIGSEGV, while memory is protected from it.
#include "protected.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static volatile int code, mask_has_usr1;
static char *fenced, *alternate;
static volatile char seen;

static void leap(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    mask_has_usr1 = sigismember(&mask, SIGUSR1);
    code = info->si_code;
    siglongjmp(back, 1);
}

static volatile int on_alternate;
static void lift(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    char here;
    on_alternate = alternate && &here > alternate && &here < alternate + SIGSTKSZ;
    mprotect((char *)((uintptr_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}

static volatile int simple;
static void count(int signal) {
    (void)signal;
    simple++;
    mprotect(fenced, 4096, PROT_READ | PROT_WRITE);
}

static void install(void (*handler)(int, siginfo_t *, void *), int flags) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    MUST(sigaction(SIGSEGV, &action, NULL));
}

static char *shared;
static void *blocked(void *unused) {
    sigset_t all, old;
    sigfillset(&all);
    MUST(pthread_sigmask(SIG_SETMASK, &all, NULL));
    MUST(pthread_sigmask(SIG_BLOCK, NULL, &old));
    seen = shared[5];
    printf("blocked: %d, goes on\n", sigismember(&old, SIGSEGV));
    return unused;
}

int main(void) {
    start();
    fenced = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction before;
    char *first = arriving(N);
    MUST(sigaction(SIGSEGV, NULL, &before));
    printf("default: %d\n", before.sa_handler == SIG_DFL);

    install(leap, 0);
    shared = arriving(N);
    if (!sigsetjmp(back, 1)) *(volatile char *)8 = 1;
    printf("null: code %d, mask %d\n", code == SEGV_MAPERR, mask_has_usr1);
    MUST(aclrtSynchronizeStream(work));
    char *second = arriving(N);
    if (!sigsetjmp(back, 1)) fenced[0] = 1;
    printf("fence: code %d\n", code == SEGV_ACCERR);
    seen = second[0]; // opened by now, or an access in flight: never the handler's
    MUST(sigaction(SIGSEGV, NULL, &before));
    printf("kept: %d, flags %d, mask %d\n", before.sa_sigaction == leap, before.sa_flags & SA_SIGINFO ? 1 : 0,
           sigismember(&before.sa_mask, SIGUSR1));

    alternate = malloc(SIGSTKSZ);
    stack_t stack = {.ss_sp = alternate, .ss_size = SIGSTKSZ};
    MUST(sigaltstack(&stack, NULL));
    for (int flags = 0; flags < 2; flags++) {
        install(lift, flags ? SA_ONSTACK : 0);
        mprotect(fenced, 4096, PROT_NONE);
        char *third = arriving(N);
        fenced[1] = 2;
        seen = third[0];
        printf("lifted: %d, on alternate stack %d\n", fenced[1], on_alternate);
    }
    mprotect(fenced, 4096, PROT_NONE);
    char *fourth = arriving(N);
    printf("signal: %d\n", signal(SIGSEGV, count) == (void (*)(int))lift);
    fenced[2] = 3;
    seen = fourth[0];
    printf("simple: %d %d\n", simple, fenced[2]);
    // Once, and then the default again.
    struct sigaction once = {.sa_handler = count, .sa_flags = SA_RESETHAND};
    MUST(sigaction(SIGSEGV, &once, NULL));
    mprotect(fenced, 4096, PROT_NONE);
    char *fifth = arriving(N);
    fenced[3] = 4;
    MUST(sigaction(SIGSEGV, NULL, &before));
    printf("once: %d, default again %d\n", simple, before.sa_handler == SIG_DFL);
    // Sent by somebody.
    signal(SIGSEGV, count);
    char *sixth = arriving(N);
    raise(SIGSEGV);
    printf("sent: %d\n", simple);
    seen = fifth[0], seen = sixth[0], seen = first[0];

    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtMemcpyAsync(shared, N, source, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, blocked, NULL));
    MUST(pthread_join(thread, NULL));
    finish();
    puts("whole");
    return 0;
}
