//@ run
/* Host code that follows a device pointer faults; pinned memory is ordinary. */
#include <setjmp.h>
#include <signal.h>

#include "expect.h"

static sigjmp_buf escape;

static void onFault(int signal)
{
    (void)signal;
    siglongjmp(escape, 1);
}

static int faults(volatile char *address)
{
    if (sigsetjmp(escape, 1)) {
        return 1;
    }
    (void)*address;
    return 0;
}

static int faultsOnWrite(volatile char *address)
{
    if (sigsetjmp(escape, 1)) {
        return 1;
    }
    *address = 1;
    return 0;
}

int main(void)
{
    char *d, *h, *large;
    signal(SIGSEGV, onFault);
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc((void **)&d, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost((void **)&h, 4096));
    OK(aclrtMallocHost((void **)&large, 64 << 20));
    EXPECT("9 case 32: not the host's", faults(d) && faultsOnWrite(d + 100));
    EXPECT("3.2", !faults(h) && !faultsOnWrite(h) && !faultsOnWrite(large + (64 << 20) - 1));
    OK(aclrtFreeHost(large));
    EXPECT("simulator: large pinned blocks unmap", faults(large));
    OK(aclrtFree(d));
    EXPECT("9 case 32: nor after its release", faults(d));
    OK(aclrtResetDevice(0));
    EXPECT("9 case 32: nor after the reset", faults(d));
    EXPECT("5.5", !faults(h));
    return 0;
}
