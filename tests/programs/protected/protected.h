/* A copy that stays in flight: from the device to page-locked memory, on a slow stream. */
#ifndef PROGRAMS_PROTECTED_H
#define PROGRAMS_PROTECTED_H
#include "../order/order.h"
#include <sys/mman.h>
#include <unistd.h>

static aclrtStream work;
static char *source;

static inline void start(void) {
    begin();
    work = stream();
    source = device(16 * N);
    MUST(aclrtMemset(source, 16 * N, 2, 16 * N));
}

/* Page-locked memory that the device is filling. */
static inline char *arriving(size_t size) {
    char *block = pinned(size);
    memset(block, 1, size);
    MUST(aclrtMemcpyAsync(block, size, source, size, ACL_MEMCPY_DEVICE_TO_HOST, work));
    return block;
}

static inline void finish(void) {
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(source));
    MUST(aclrtDestroyStream(work));
    end();
}
#endif
