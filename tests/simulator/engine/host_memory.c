/* By /proc/self/mem, which reaches any private page and reads any shared one; shared pages are written by a second
 * mapping of theirs. process_vm_readv heeds protections, and private pages cannot be mapped twice. */
#define _GNU_SOURCE
#include "host_memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Opened for each use: a descriptor from before a fork leads to the parent. */
static bool byFile(char *ours, uintptr_t theirs, uint64_t size, bool write)
{
    int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    uint64_t done = 0;
    while (file >= 0 && done < size) {
        off_t at = (off_t)(theirs + done);
        ssize_t step = write ? pwrite(file, ours + done, size - done, at) : pread(file, ours + done, size - done, at);
        if (step <= 0) {
            break;
        }
        done += (uint64_t)step;
    }
    if (file >= 0) {
        close(file);
    }
    return done == size;
}

static bool bySecondMapping(const char *ours, uintptr_t theirs, uint64_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t low = theirs / page * page;
    size_t length = (theirs + size + page - 1) / page * page - low;
    char *again = mremap((void *)low, 0, length, MREMAP_MAYMOVE); /* only shared pages are mapped again by that */
    if (again == MAP_FAILED) {
        return false;
    }
    bool done = mprotect(again, length, PROT_READ | PROT_WRITE) == 0;
    if (done) {
        memcpy(again + (theirs - low), ours, size);
    }
    munmap(again, length);
    return done;
}

bool hostMemoryRead(void *to, const void *from, uint64_t size)
{
    return byFile(to, (uintptr_t)from, size, false);
}

bool hostMemoryWrite(void *to, const void *from, uint64_t size)
{
    return byFile((char *)from, (uintptr_t)to, size, true) || bySecondMapping(from, (uintptr_t)to, size);
}
