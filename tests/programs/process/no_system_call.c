/* no_system_call TIMES [asks]: allocations, releases, copies and waits of kinds seen before, with every system call forbidden but the
 * process's end. One that is made is named on standard error. `asks` makes one itself. TIMES 400 rounds come before, at least once. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int aclrtSetDevice(int32_t);
int aclrtMalloc(void **, size_t, int);
int aclrtFree(void *);
int aclrtMemcpy(void *, size_t, const void *, size_t, int);
int aclrtSynchronizeStream(void *);

enum { BLOCKS = 32, ROUNDS = 400, TELLER = 77, FOUND = 3, UNFIT = 77 };

static void *blocks[BLOCKS];

__attribute__((noinline)) static int round_of(unsigned i, int deeper) {
    if (deeper > 0) {
        int failed = i >> deeper & 1 ? round_of(i, deeper - 1) : round_of(i, deeper - 1) * 2;
        __asm__ volatile("" : "+r"(failed));
        return failed;
    }
    void **block = &blocks[i % BLOCKS];
    int failed = aclrtFree(*block) + aclrtMalloc(block, 64u << i % 4, 0);
    if (i % 4 == 0) failed += aclrtMemcpy(*block, 64, blocks[(i + 1) % BLOCKS], 64, 3) + aclrtSynchronizeStream(NULL);
    return failed;
}

static int rounds(void) {
    int failed = 0;
    for (unsigned i = 0; i < ROUNDS; i++) failed += round_of(i, 5);
    return failed;
}

static void found(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    char text[64];
    int length = snprintf(text, sizeof text, "system call %d\n", info->si_syscall);
    _exit(write(TELLER, text, length) == length ? FOUND : FOUND + 1);
}

static int forbid(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TELLER, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) | prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv) {
    int times = argc > 1 ? atoi(argv[1]) : 0;
    if (times < 1) return FOUND + 1; // Nothing would be forbidden.
    int failed = aclrtSetDevice(0);
    for (int i = 0; i < BLOCKS; i++) failed += aclrtMalloc(&blocks[i], 512, 0);
    // All from one place: from another its stacks would be new.
    for (int time = 0; time <= times; time++) {
        failed += rounds();
        struct sigaction action = {.sa_sigaction = found, .sa_flags = SA_SIGINFO};
        if (time == times - 1 && (dup2(2, TELLER) < 0 || sigaction(SIGSYS, &action, NULL) != 0)) return FOUND + 1;
        if (time == times - 1 && forbid() != 0) return UNFIT;
    }
    if (argc > 2 && strcmp(argv[2], "asks") == 0) syscall(SYS_getppid);
    _exit(failed != 0);
}
