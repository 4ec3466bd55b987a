/* Preloaded: a disk of another kind, for what wants to set blocks of a file aside or to map it. Which, DISK says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is(const char *kind) {
    const char *disk = getenv("DISK");
    return disk != NULL && strcmp(disk, kind) == 0;
}

int fallocate(int fd, int mode, off_t offset, off_t length) {
    static int calls;
    calls++;
    if (is("quota") && calls > 3) {
        return errno = EDQUOT, -1;
    }
    if (is("network")) {
        return errno = EOPNOTSUPP, -1;
    }
    if (is("interrupted")) {
        return errno = EINTR, -1;
    }
    if (is("broken") && calls > 3) {
        return errno = EIO, -1;
    }
    return (int)syscall(SYS_fallocate, fd, mode, offset, length);
}
int fallocate64(int fd, int mode, off_t offset, off_t length) {
    return fallocate(fd, mode, offset, length);
}

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
    if (is("unmapped") && fd >= 0 && (flags & MAP_SHARED)) {
        return errno = ENODEV, MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, length, protection, flags, fd, offset);
}
