// Has a handler for SIGSEGV, or a reason to fault and go on: the argument. A crash report must not get in its way.
#include "process.h"
#include <setjmp.h>

static sigjmp_buf before;
static struct sigaction old;

__attribute__((noinline)) static void fault(void) { *(volatile char *)16 = 1; }

static void leave(int number) {
    printf("signal %d\n", number);
    fflush(stdout);
    _exit(7);
}

static void jump(int number) {
    (void)number;
    siglongjmp(before, 1);
}

/* As Python's faulthandler does: says something, then lets happen what would have happened. */
static void restore(int number) {
    static const char text[] = "restores\n";
    if (write(1, text, sizeof text - 1) < 0) {
        _exit(8);
    }
    sigaction(number, &old, NULL);
    raise(number);
}

/* Calls the handler that it replaced, if there was one. */
static void pass_on(int number, siginfo_t *info, void *context) {
    if (old.sa_flags & SA_SIGINFO) {
        old.sa_sigaction(number, info, context);
    } else {
        signal(number, SIG_DFL);
    }
}

static void handle(void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(SIGSEGV, &action, &old);
}

/* A stack of its own, with the top of which the thread ends. */
static void *on_own_stack(void *unused) {
    static char room[65536];
    stack_t own = {.ss_sp = room, .ss_size = sizeof room}, now;
    sigaltstack(&own, NULL);
    MUST(aclrtSetDevice(0));
    MUST(aclrtFree(device(64)));
    sigaltstack(NULL, &now);
    printf("%s\n", now.ss_sp == room ? "its own stack" : "another stack");
    return unused;
}

int main(int argc, char **argv) {
    const char *way = argv[argc - 1];
    if (strcmp(way, "before") == 0) {
        handle(leave, 0);
    } else if (strcmp(way, "ignored") == 0) {
        handle(SIG_IGN, 0);
    }
    begin();
    char *kept = device(1000);
    if (strcmp(way, "after") == 0) {
        handle(leave, 0);
    } else if (strcmp(way, "restores") == 0) {
        handle(restore, SA_NODEFER);
    } else if (strcmp(way, "passes on") == 0) {
        struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
        sigaction(SIGSEGV, &action, &old);
    } else if (strcmp(way, "goes on") == 0) {
        handle(jump, SA_NODEFER);
        for (int i = 0; i < 100; i++) {
            if (sigsetjmp(before, 1) == 0) {
                fault();
            }
            MUST(aclrtFree(device(64)));
        }
        MUST(aclrtFree(kept));
        end();
        return 0;
    } else if (strcmp(way, "probes") == 0) {
        /* Replaces the handler for a moment, and restores what it found. */
        handle(jump, SA_NODEFER);
        if (sigsetjmp(before, 1) == 0) {
            fault();
        }
        sigaction(SIGSEGV, &old, NULL);
    } else if (strcmp(way, "own stack") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, on_own_stack, NULL);
        pthread_join(thread, NULL);
        MUST(aclrtFree(kept));
        end();
        return 0;
    } else if (strcmp(way, "ignored") == 0) {
        kill(getpid(), SIGSEGV);
        MUST(aclrtFree(kept));
        end();
        return 0;
    }
    fflush(stdout);
    fault();
    return 4;
}
