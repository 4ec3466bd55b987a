//@ flags: -fomit-frame-pointer
// Allocates on stacks that are not the thread's: of makecontext, made by hand between two pages that cannot be read, of signals, and one
// that the program gave to a thread.
#include "../process/process.h"
#include <sys/mman.h>
#include <ucontext.h>

enum { BYTES = 64 * 1024, ROUNDS = 100 };

/* BYTES between two unreadable pages. */
static char *stack_with_guards(void) {
    long page = sysconf(_SC_PAGESIZE);
    char *low = mmap(NULL, BYTES + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(mprotect(low + page, BYTES, PROT_READ | PROT_WRITE));
    return low + page;
}

static ucontext_t outside, inside;
static char *carried;

static void coroutine(void) {
    for (;;) {
        carried = device(512);
        swapcontext(&inside, &outside);
        MUST(aclrtFree(carried));
        pairs(1);
        swapcontext(&inside, &outside);
    }
}

static void by_context(void) {
    char *stack = stack_with_guards();
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = BYTES;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine, 0);
    for (int i = 0; i < 2 * ROUNDS; i++) {
        swapcontext(&outside, &inside);
    }
    munmap(stack, BYTES);
}

static void pair(void) {
    pairs(1);
}

/* This function's frame claims that its caller's is past the new stack's end. */
static __attribute__((noinline)) void call_on(char *top, void (*work)(void)) {
#if defined(__x86_64__)
    __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcall *%1\n\tmovq %%rbx, %%rsp"
                     : "+r"(top), "+r"(work)
                     :
                     : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
#elif defined(__aarch64__)
    __asm__ volatile("mov x19, sp\n\tmov sp, %0\n\tblr %1\n\tmov sp, x19"
                     : "+r"(top), "+r"(work)
                     :
                     : "x19", "x30", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "memory", "cc");
#endif
}

static void by_hand(void) {
    for (int i = 0; i < ROUNDS; i++) {
        char *stack = stack_with_guards();
        call_on(stack + BYTES, pair);
        munmap(stack, BYTES);
    }
}

static void on_signal(int signal) {
    (void)signal;
    pairs(1);
}

static void by_signal(void) {
    stack_t other = {.ss_sp = stack_with_guards(), .ss_size = BYTES};
    MUST(sigaltstack(&other, NULL));
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        raise(SIGUSR1);
    }
}

static void *in_thread(void *unused) {
    MUST(aclrtSetDevice(0));
    pairs(ROUNDS);
    return unused;
}

static void by_thread(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    MUST(pthread_attr_setstack(&attributes, stack_with_guards(), BYTES));
    MUST(pthread_create(&thread, &attributes, in_thread, NULL));
    pthread_join(thread, NULL);
}

int main(void) {
    begin();
    by_context();
    by_hand();
    by_signal();
    by_thread();
    end();
    puts("switched");
    return 0;
}
