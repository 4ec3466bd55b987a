// Allocates through frames of several kinds, on the thread's own stack, on a coroutine's and on the one that signals are handled on: each
// is a separate site, also where frames have no pointers, return addresses are signed, or no rule holds them.
#include "../process/process.h"
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>

#define APART __attribute__((noinline, noclone))

enum { BYTES = 256 * 1024, KINDS = 4, PLACES = 2 * KINDS + 2 };

/* Prevents tail calls. */
static volatile int after;

#ifdef EMULATED
/* qemu-user has no such call; the shim finds this one in a program that exports it. A pipe takes nothing that cannot be read. */
ssize_t process_vm_readv(pid_t process, const struct iovec *into, unsigned long places, const struct iovec *from, unsigned long count, unsigned long flags) {
    ssize_t done = 0;
    int ends[2];
    (void)process, (void)places, (void)flags;
    if (pipe(ends)) {
        return -1;
    }
    for (unsigned long i = 0; i < count; i++) {
        if (write(ends[1], from[i].iov_base, 1) != 1 || read(ends[0], (char *)into->iov_base + done, 1) != 1) {
            break;
        }
        done++;
    }
    close(ends[0]);
    close(ends[1]);
    return done;
}
#endif

static APART void innermost(void) {
    MUST(aclrtFree(device(512)));
    after++;
}

static APART void small(void) {
    innermost();
    after++;
}

static APART void with_locals(void) {
    volatile char room[40000];
    room[0] = 1;
    innermost();
    after += room[0];
}

static APART void with_more_than_a_rule_holds(void) {
    volatile char room[100000];
    room[0] = 1;
    innermost();
    after += room[0];
}

static APART double with_registers(double number, long one, long two, long three) {
    innermost();
    after += one + two + three > 0;
    return number * 2;
}

static APART void all_kinds(void) {
    small();
    after++;
    with_locals();
    after++;
    with_more_than_a_rule_holds();
    after++;
    after += with_registers(2.5, after, after, after) > 0;
}

static ucontext_t outside, inside;

static void on_signal(int signal) {
    (void)signal;
    innermost();
    after++;
}

static APART void raised_here(void) {
    raise(SIGUSR1);
    after++;
}

static APART void raised_there(void) {
    raise(SIGUSR1);
    after++;
}

int main(void) {
    begin();
    all_kinds();
    getcontext(&inside);
    inside.uc_stack.ss_sp = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    inside.uc_stack.ss_size = BYTES;
    inside.uc_link = &outside;
    makecontext(&inside, all_kinds, 0);
    swapcontext(&outside, &inside);
    stack_t other = {.ss_sp = inside.uc_stack.ss_sp, .ss_size = BYTES};
    MUST(sigaltstack(&other, NULL));
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    raised_here();
    raised_there();
    end();
    printf("%d places\n", PLACES);
    return 0;
}
