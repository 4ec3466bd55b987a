//@ run
/* An ordinary caller, linked against the public names: two allocations of each family. */
#include "expect.h"

int main(void)
{
    void *p;
    OK(aclrtSetDevice(0));
    for (int i = 0; i < 2; i++) {
        OK(aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtFree(p));
        OK(aclrtMallocHost(&p, 100));
        OK(aclrtFreeHost(p));
    }
    return 0;
}
