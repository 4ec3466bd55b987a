//@ options: host_access=trap
//@ env: ACLSIM_STREAM_DELAY_US=20000
// Children of every kind, forked while memory is protected: theirs is open, and their parent's stays as it is.
#define _GNU_SOURCE
#include "protected.h"
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void wait_for(pid_t child, const char *what) {
    int status;
    if (waitpid(child, &status, 0) != child) exit(4);
    printf("%s: %d\n", what, status);
}

int main(void) {
    start();
    char *block = arriving(N), *plain = arriving(2 * N);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        plain[5] = block[5];
        _exit(plain[5] == block[5] ? 7 : 8);
    }
    wait_for(child, "fork");
    child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        plain[6] = block[6];
        _exit(plain[6] == block[6] ? 7 : 8);
    }
    wait_for(child, "clone");
    char *arguments[] = {"true", NULL};
    char *environment[] = {NULL};
    if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environment) != 0) return 5;
    wait_for(child, "spawn");
    child = vfork();
    if (child == 0) {
        execve("/bin/true", arguments, environment);
        _exit(9);
    }
    wait_for(child, "vfork");
    MUST(aclrtSynchronizeStream(work));
    printf("%d %d\n", block[5], plain[6]);
    finish();
    return 0;
}
