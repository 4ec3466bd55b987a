// Creates a child by the method that the argument names, and continues; most children allocate. Prints the child's exit status.
#define _GNU_SOURCE
#include "../process/process.h"
#include <spawn.h>
#include <sys/syscall.h>

extern char **environ;
static const char *way;
static char *const again[] = {"again", "pairs", NULL};

static int is(const char *name) {
    return strcmp(way, name) == 0;
}

static int child(void) {
    limit_time();
    pairs(3);
    return 7;
}

static void *fork_in_thread(void *told) {
    MUST(aclrtSetDevice(0));
    pid_t number = fork();
    if (number == 0) {
        exit(child());
    }
    *(int *)told = WEXITSTATUS(ended(number));
    return NULL;
}

/* A daemon: the child's child, in its own session; only the reader of the pipe waits for it. */
static int daemonise(void) {
    int ends[2];
    char code = 0;
    MUST(pipe(ends));
    pid_t number = fork();
    if (number == 0) {
        setsid();
        if (fork() == 0) {
            close(ends[0]);
            code = (char)child();
            write(ends[1], &code, 1) < 0 ? abort() : exit(0);
        }
        _exit(0);
    }
    ended(number);
    close(ends[1]);
    long got = read(ends[0], &code, 1);
    char rest;
    while (read(ends[0], &rest, 1) > 0) {
    }
    return got == 1 ? code : -1;
}

static int spawned(void) {
    pid_t number;
    MUST(posix_spawn(&number, "/proc/self/exe", NULL, NULL, again, environ));
    return WEXITSTATUS(ended(number));
}

static int told(void) {
    pthread_t thread;
    int code = -1;
    pid_t number = -1;
    if (is("thread")) {
        pthread_create(&thread, NULL, fork_in_thread, &code);
        pthread_join(thread, NULL);
        return code;
    } else if (is("daemon")) {
        return daemonise();
    } else if (is("posix_spawn")) {
        return spawned();
    } else if (is("vfork")) {
        number = vfork();
        if (number == 0) {
            execve("/proc/self/exe", again, environ);
            _exit(1);
        }
    } else if (is("_Fork")) {
        number = _Fork();
    } else if (is("clone")) {
        number = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    } else if (is("fork")) {
        number = fork();
    }
    if (number == 0) {
        _exit(child());
    }
    return WEXITSTATUS(ended(number));
}

int main(int argc, char **argv) {
    way = argc > 1 ? argv[1] : "";
    begin();
    if (is("pairs")) {
        return child();
    }
    pairs(5);
    int code = told();
    pairs(6);
    end();
    printf("child %d\n", code);
    return 0;
}
