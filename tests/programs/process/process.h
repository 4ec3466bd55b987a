/* Shared by these programs: none runs longer than a minute, even in a deadlock. */
#ifndef PROGRAMS_PROCESS_H
#define PROGRAMS_PROCESS_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../rt.h"
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not inherited by fork: a child calls it again. */
__attribute__((constructor)) static void limit_time(void) {
    alarm(60);
}

static inline void pairs(int count) {
    for (int i = 0; i < count; i++) {
        MUST(aclrtFree(device(4096)));
    }
}

static inline int ended(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* Recursion whose `path` picks one of two call sites at each level: as many stacks as there are paths. */
__attribute__((noinline, noclone, unused)) static void descend(int depth, unsigned path, void (*work)(void)) {
    volatile int kept = depth;
    if (depth == 0) {
        work();
    } else if (path & 1) {
        descend(depth - 1, path >> 1, work);
        kept++;
    } else {
        descend(depth - 1, path >> 1, work);
        kept--;
    }
}
#endif
