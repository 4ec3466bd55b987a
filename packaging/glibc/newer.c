/* What headers and start files of newer glibc call, by what glibc 2.17 has. Hidden: each library that is linked has its own.
 * A line that begins with two slashes and two equal signs begins a member of the archive. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>

// == stat and its variants were inlined like this and in no shared library before 2.33. The first argument is the layout of `struct stat`.
#if defined(__x86_64__)
#define LAYOUT 1
#else
#define LAYOUT 0
#endif
struct stat;
int __xstat(int, const char *, struct stat *);
int __lxstat(int, const char *, struct stat *);
int __fxstat(int, int, struct stat *);
int __fxstatat(int, int, const char *, struct stat *, int);
int stat(const char *path, struct stat *into) { return __xstat(LAYOUT, path, into); }
int stat64(const char *path, struct stat *into) { return __xstat(LAYOUT, path, into); }
int lstat(const char *path, struct stat *into) { return __lxstat(LAYOUT, path, into); }
int lstat64(const char *path, struct stat *into) { return __lxstat(LAYOUT, path, into); }
int fstat(int file, struct stat *into) { return __fxstat(LAYOUT, file, into); }
int fstat64(int file, struct stat *into) { return __fxstat(LAYOUT, file, into); }
int fstatat(int folder, const char *path, struct stat *into, int flags) { return __fxstatat(LAYOUT, folder, path, into, flags); }
int fstatat64(int folder, const char *path, struct stat *into, int flags) { return __fxstatat(LAYOUT, folder, path, into, flags); }

// == fcntl with 64-bit offsets, since 2.28; on 64-bit machines it is fcntl.
int fcntl(int, int, ...);
int fcntl64(int file, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return fcntl(file, command, argument);
}

// == number parsing that accepts 0b, since 2.38.
long strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
long long strtoll(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }
long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return strtoull(text, end, base); }

// == the same in scanf.
typedef struct _IO_FILE FILE;
int __isoc99_vsscanf(const char *, const char *, va_list);
int __isoc99_vfscanf(FILE *, const char *, va_list);
int __isoc23_sscanf(const char *text, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    int read = __isoc99_vsscanf(text, format, rest);
    va_end(rest);
    return read;
}
int __isoc23_fscanf(FILE *file, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    int read = __isoc99_vfscanf(file, format, rest);
    va_end(rest);
    return read;
}

// == single-thread flag, since 2.32, read by libstdc++. Always says that there may be more threads.
char __libc_single_threaded = 0;

// == memory with a file descriptor (memfd), since 2.27.
#include <sys/syscall.h>
long syscall(long, ...);
int memfd_create(const char *name, unsigned flags) { return (int)syscall(SYS_memfd_create, name, flags); }

// == waiting with a chosen clock, since 2.30: here converted to the condition's own, the realtime clock.
#include <pthread.h>
#include <time.h>
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *end)
{
    struct timespec theirs, ours;
    clock_gettime(clock, &theirs);
    clock_gettime(CLOCK_REALTIME, &ours);
    ours.tv_sec += end->tv_sec - theirs.tv_sec;
    ours.tv_nsec += end->tv_nsec - theirs.tv_nsec;
    if (ours.tv_nsec < 0) ours.tv_nsec += 1000000000, ours.tv_sec--;
    if (ours.tv_nsec >= 1000000000) ours.tv_nsec -= 1000000000, ours.tv_sec++;
    return pthread_cond_timedwait(condition, mutex, &ours);
}

// == program start. Start files since 2.34 leave a program's constructors to libc; earlier ones contained the code for them.
typedef int Main(int, char **, char **);
typedef void Constructor(int, char **, char **);
extern Constructor *__init_array_start[] __attribute__((weak, visibility("hidden")));
extern Constructor *__init_array_end[] __attribute__((weak, visibility("hidden")));
extern void _init(void);
int real_start(Main *, int, char **, Constructor *, void (*)(void), void (*)(void), void *);
#if defined(__x86_64__)
__asm__(".symver real_start, __libc_start_main@GLIBC_2.2.5");
#else
__asm__(".symver real_start, __libc_start_main@GLIBC_2.17");
#endif
static void construct(int count, char **arguments, char **environment)
{
    _init();
    for (Constructor **each = __init_array_start; each < __init_array_end; each++)
        (*each)(count, arguments, environment);
}
int __libc_start_main(Main *program, int count, char **arguments, Constructor *init, void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    return real_start(program, count, arguments, init ? init : construct, fini, loader_fini, stack_end);
}
