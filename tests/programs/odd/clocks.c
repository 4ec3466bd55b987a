/* Preloaded: clocks that are set, step back, stand still, and tell each thread another time. The processor's own counter is not trusted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic unsigned calls;

int clock_gettime(clockid_t clock, struct timespec *time) {
    int status = (int)syscall(SYS_clock_gettime, clock, time);
    unsigned call = calls++ * 2654435761u >> 7;
    long steps[] = {0, -1, 3600, -86400, 1, -1000000000, 1000000000, 0x40000000};
    time->tv_sec += steps[(call + (unsigned)syscall(SYS_gettid)) % 8];
    if (call % 5 == 0) {
        time->tv_sec = time->tv_nsec = 0;
    }
    return status;
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    if (strstr(path, "current_clocksource") != NULL) {
        return errno = ENOENT, -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open(const char *path, int flags, ...) __attribute__((alias("open64")));
