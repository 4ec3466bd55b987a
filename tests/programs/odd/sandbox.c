// A filter forbids one system call (the first argument): it fails with EPERM or ENOSYS, or ends the process (the second). It comes before
// the first call of AscendCL or after some (the third: `first`, `later`). The program works without that call afterwards.
#include "odd.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static const struct {
    const char *name;
    int number;
} CALLS[] = {
#define CALL(name) {#name, SYS_##name}
    CALL(fallocate), CALL(fstatfs), CALL(mremap), CALL(pwrite64), CALL(openat), CALL(close), CALL(read), CALL(fcntl), CALL(newfstatat),
    CALL(fstat), CALL(statx), CALL(lseek), CALL(prlimit64), CALL(getpid), CALL(gettid), CALL(getppid), CALL(rt_sigpending),
    CALL(rt_sigtimedwait), CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(ioctl), CALL(sched_getaffinity), CALL(process_vm_readv),
    CALL(process_vm_writev), CALL(mincore), CALL(sigaltstack), CALL(getrandom), CALL(prctl), CALL(mkdirat), CALL(readlinkat),
    CALL(sched_yield), CALL(clock_gettime), CALL(ftruncate), CALL(uname),
#ifdef SYS_mkdir
    CALL(mkdir), CALL(readlink), CALL(open), CALL(stat), CALL(poll),
#endif
};

static void forbid(const char *name, unsigned action) {
    int number = -1;
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        number = strcmp(CALLS[i].name, name) == 0 ? CALLS[i].number : number;
    }
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (number < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        _exit(111);
    }
}

static int wrong;

static void pair(void) {
    void *block = NULL, *host = NULL;
    wrong += aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) + aclrtMallocHost(&host, 4096);
    wrong += aclrtFree(block) + aclrtFreeHost(host);
}

__attribute__((noinline, noclone)) static void descend(int depth, unsigned path) {
    volatile int kept = depth;
    if (depth == 0) {
        pair();
    } else if (path & 1) {
        descend(depth - 1, path >> 1);
        kept++;
    } else {
        descend(depth - 1, path >> 1);
        kept--;
    }
}

/* On a stack that is not the thread's own, as of a coroutine. */
static void pair_elsewhere(void) {
    static char stack[64 * 1024] __attribute__((aligned(16)));
#if defined(__x86_64__)
    char *top = stack + sizeof stack;
    void (*work)(void) = pair;
    __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcall *%1\n\tmovq %%rbx, %%rsp"
                     : "+r"(top), "+r"(work)
                     :
                     : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
#else
    (void)stack;
    pair();
#endif
}

static void *stacks(void *unused) {
    for (unsigned path = 0; path < 256; path++) {
        descend(8, path);
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    if (argc != 4) {
        return 9;
    }
    unsigned action = strcmp(argv[2], "EPERM") == 0    ? SECCOMP_RET_ERRNO | EPERM
                      : strcmp(argv[2], "ENOSYS") == 0 ? SECCOMP_RET_ERRNO | ENOSYS
                      : strcmp(argv[2], "EDQUOT") == 0 ? SECCOMP_RET_ERRNO | EDQUOT
                      : strcmp(argv[2], "ENODEV") == 0 ? SECCOMP_RET_ERRNO | ENODEV
                                                       : SECCOMP_RET_KILL_PROCESS;
    if (strcmp(argv[3], "first") == 0) {
        forbid(argv[1], action);
    }
    aclInit(NULL);
    aclrtSetDevice(0);
    pair();
    if (strcmp(argv[3], "later") == 0) {
        forbid(argv[1], action);
    }
    pair_elsewhere();
    stacks(NULL);
    pthread_create(&thread, NULL, stacks, NULL);
    pthread_join(thread, NULL);
    wrong += aclrtFree(&wrong); // Two findings.
    wrong += aclrtFreeHost((void *)64);
    static const char DONE[] = "done\n";
    return wrong != 0 || syscall(SYS_write, 1, DONE, sizeof DONE - 1) != sizeof DONE - 1;
}
