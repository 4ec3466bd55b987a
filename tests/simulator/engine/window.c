/* Two views of one memory file. The program's view is PROT_NONE for device memory,
 * so host code that follows a device pointer faults as it does on real hardware. */
#define _GNU_SOURCE
#include "window.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Giant pages must start on a giant page. */
#define WINDOW_ALIGNMENT (1ull << 30)

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static void *reserveAt(uintptr_t wanted, uint64_t size)
{
    void *view = mmap((void *)wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                      -1, 0);
    if (view == MAP_FAILED) {
        return NULL;
    }
    if ((uintptr_t)view != wanted) { /* kernels before 4.17 take the flag for a hint */
        munmap(view, size);
        return NULL;
    }
    return view;
}

static void *reserveAnywhere(uint64_t size)
{
    uint64_t slack = size + WINDOW_ALIGNMENT;
    char *view = mmap(NULL, slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (view == MAP_FAILED) {
        return NULL;
    }
    uintptr_t start = ((uintptr_t)view + WINDOW_ALIGNMENT - 1) & ~(WINDOW_ALIGNMENT - 1);
    uint64_t before = start - (uintptr_t)view;
    if (before) {
        munmap(view, before);
    }
    munmap((char *)start + size, slack - before - size);
    return (void *)start;
}

bool windowReserve(struct window *window, uintptr_t wanted, uint64_t size, bool host_visible)
{
    int file = memfd_create("aclsim", MFD_CLOEXEC);
    if (file < 0) {
        return false;
    }
    void *view = NULL;
    void *alias = MAP_FAILED;
    if (ftruncate(file, (off_t)size) == 0) {
        view = reserveAt(wanted, size);
        view = view ? view : reserveAnywhere(size);
        alias = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    }
    bool done = view && alias != MAP_FAILED;
    if (done && host_visible) {
        done = mmap(view, size, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) != MAP_FAILED;
    }
    if (!done) {
        close(file);
        if (view) {
            munmap(view, size);
        }
        if (alias != MAP_FAILED) {
            munmap(alias, size);
        }
        return false;
    }
    /* Out of the program's way: it may count on the low numbers. */
    int high = fcntl(file, F_DUPFD_CLOEXEC, 200);
    if (high >= 0) {
        close(file);
        file = high;
    }
    /* A core dump would walk hundreds of gigabytes of holes. */
    madvise(view, size, MADV_DONTDUMP);
    madvise(alias, size, MADV_DONTDUMP);
    *window = (struct window){(uintptr_t)view, size, alias, host_visible, file};
    return true;
}

bool windowHolds(const struct window *window, uintptr_t address)
{
    return address - window->base < window->size;
}

char *windowAlias(const struct window *window, uintptr_t address)
{
    return window->alias + (address - window->base);
}

bool windowMap(const struct window *window, uintptr_t start, uint64_t length)
{
    return !window->host_visible || mprotect((void *)start, length, PROT_READ | PROT_WRITE) == 0;
}

void windowUnmap(const struct window *window, uintptr_t start, uint64_t length)
{
    if (window->host_visible) {
        mprotect((void *)start, length, PROT_NONE);
    }
    madvise(windowAlias(window, start), length, MADV_REMOVE);
}
