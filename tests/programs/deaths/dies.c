// Threads allocate and release; when they have done a number of calls, the process ends in one of many ways: the last argument.
#include "acknowledges.h"
#include <sched.h>
#include <spawn.h>

extern char **environ;
static const char *way;

static int is(const char *name) {
    return strcmp(way, name) == 0;
}

static void reach(volatile char *pages) {
    for (size_t at = 0;; at += 4096) {
        pages[at] = 1;
    }
}

static void eat_memory(void) {
    size_t size = (size_t)1 << 40;
    reach(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

static void overflow(volatile char *above) {
    volatile char room[4096];
    room[0] = *above;
    if (room[0] == 0) {
        overflow(room);
    }
    room[1] = 1;
}

static void *die(void *unused) {
    char *const next[] = {"true", NULL};
    if (is("exit")) {
        exit(5);
    } else if (is("_exit")) {
        _exit(6);
    } else if (is("quick_exit")) {
        quick_exit(7);
    } else if (is("exit_group")) {
        syscall(SYS_exit_group, 4);
    } else if (is("abort")) {
        abort();
    } else if (is("fault")) {
        *(volatile char *)8 = 1;
    } else if (is("bus")) {
        raise(SIGBUS);
    } else if (is("illegal")) {
        __builtin_trap();
    } else if (is("terminate")) {
        raise(SIGTERM);
    } else if (is("overflow")) {
        char above = 0;
        overflow(&above);
    } else if (is("memory")) {
        eat_memory();
    } else if (is("execl")) {
        execl("/bin/true", "true", (char *)NULL);
    } else if (is("execlp")) {
        execlp("true", "true", (char *)NULL);
    } else if (is("execle")) {
        execle("/bin/true", "true", (char *)NULL, environ);
    } else if (is("execv")) {
        execv("/bin/true", next);
    } else if (is("execvp")) {
        execvp("true", next);
    } else if (is("execvpe")) {
        execvpe("true", next, environ);
    } else if (is("execve")) {
        execve("/bin/true", next, environ);
    } else if (is("fexecve")) {
        fexecve(open("/bin/true", O_RDONLY | O_CLOEXEC), next, environ);
    }
    _exit(3);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    int threads = argc == 5 ? share(argv) : 0;
    uint64_t calls = strtoull(argv[3], NULL, 10);
    way = argv[4];
    begin();
    start(threads);
    while (acknowledged(threads) < calls) {
        sched_yield();
    }
    /* By another thread than main. */
    pthread_create(&thread, NULL, die, NULL);
    pthread_join(thread, NULL);
    return 2;
}
