//@ options: host_access=trap
//@ env: ACLSIM_STREAM_DELAY_US=5000
// The program maps, unmaps, protects, locks and advises about registered memory that a copy uses or has used.
#define _GNU_SOURCE
#include "protected.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>

enum { BYTES = 16 * N };

static sigjmp_buf back;
static void leap(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}

static char *registered(int flags) {
    char *own = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
    if (own == MAP_FAILED) exit(4);
    memset(own, 1, BYTES);
    MUST(aclrtHostRegisterV2(own, BYTES, ACL_HOST_REG_PINNED));
    return own;
}

static void receive(char *at, size_t size) {
    MUST(aclrtMemcpyAsync(at, size, source, size, ACL_MEMCPY_DEVICE_TO_HOST, work));
}

int main(void) {
    start();
    signal(SIGSEGV, leap);
    for (int flags = MAP_PRIVATE; flags <= MAP_PRIVATE; flags++) {
        char *own = registered(flags);
        // What the program protects stays protected, whatever the copy does.
        receive(own, 4 * N);
        MUST(mprotect(own + 8 * N, N, PROT_READ));
        MUST(mprotect(own + 2 * N, N, PROT_READ | PROT_WRITE));
        MUST(aclrtSynchronizeStream(work));
        volatile int written = 0;
        if (!sigsetjmp(back, 1)) own[8 * N] = 1, written = 1;
        printf("read-only stays: %d\n", !written);
        MUST(mprotect(own + 8 * N, N, PROT_READ | PROT_WRITE));
        receive(own, BYTES);
        printf("lock: %d\n", mlock(own, BYTES) == 0 || errno == EPERM || errno == ENOMEM || errno == EAGAIN);
        munlock(own, BYTES);
        printf("advice: %d\n", madvise(own, BYTES, MADV_WILLNEED));
        MUST(aclrtSynchronizeStream(work));
        printf("%d %d\n", own[0], own[BYTES - 1]);
        // Unregistered, unmapped, and something else in its place.
        receive(own, BYTES);
        MUST(aclrtSynchronizeStream(work));
        MUST(aclrtHostUnregister(own));
        MUST(munmap(own, BYTES));
        char *other = mmap(own, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        MUST(aclrtSynchronizeDevice());
        written = 0;
        if (!sigsetjmp(back, 1)) other[0] = 1, written = 1;
        printf("other's stays read-only: %d\n", !written);
        MUST(munmap(other, BYTES));
    }
    // Memory with a protection of its own is left alone.
    char *own = registered(MAP_PRIVATE);
    MUST(mprotect(own, BYTES, PROT_READ));
    MUST(aclrtMemcpyAsync(source, BYTES, own, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, work));
    MUST(aclrtSynchronizeStream(work));
    volatile int written = 0;
    if (!sigsetjmp(back, 1)) own[0] = 1, written = 1;
    printf("own protection stays: %d\n", !written);
    MUST(aclrtHostUnregister(own));
    // Moved by the kernel, with what it holds.
    char *moving = registered(MAP_PRIVATE);
    receive(moving, BYTES);
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtHostUnregister(moving));
    char *moved = mremap(moving, BYTES, 2 * BYTES, MREMAP_MAYMOVE);
    printf("moved: %d\n", moved[BYTES - 1]);
    finish();
    return 0;
}
