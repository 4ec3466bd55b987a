// Comes back to two stacks in turns. Its child comes to the same stacks, to the other one first, and no handler of fork has run in it.
#include "process.h"
#include <signal.h>
#include <sys/syscall.h>

static char *volatile block;

static __attribute__((noinline)) void on_device(void) {
    block = device(64);
    MUST(aclrtFree(block));
}

static __attribute__((noinline)) int pin(void) {
    block = pinned(64);
    return aclrtFreeHost(block);
}

// One frame deeper: what it does with the result keeps its frame.
static __attribute__((noinline)) void on_host(void) {
    MUST(pin());
}

static __attribute__((noinline)) void take_turns(int first) {
    for (int turn = 0; turn < 400; turn++) {
        if ((turn ^ first) & 1) {
            on_host();
        } else {
            on_device();
        }
    }
}

int main(void) {
    begin();
    for (volatile int is_child = 0;; is_child = 1) {
        take_turns(is_child); // One call, so that both have the same stacks.
        if (is_child) {
            exit(7);
        }
        pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child != 0) {
            printf("child %d\n", WEXITSTATUS(ended(child)));
            end();
            return 0;
        }
    }
}
