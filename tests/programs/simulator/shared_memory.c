//@ run: ACLSIM_SOC=Ascend310B4-RC
/* A chip that is its own host: device memory is ordinary memory, copies have no direction. */
#include "expect.h"

int main(void)
{
    aclrtRunMode mode;
    char *d, *h;
    int unaligned = 0;
    OK(aclrtGetRunMode(&mode));
    EXPECT("3.10", mode == ACL_DEVICE);
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc((void **)&d, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost((void **)&h, 4096));
    memset(d, 3, 4096);
    OK(aclrtMemcpyAsync(h, 4096, d, 4096, ACL_MEMCPY_HOST_TO_HOST, NULL));
    OK(aclrtSynchronizeStream(NULL));
    EXPECT("3.10", isFilled(h, 3, 4096));
    for (int i = 0; i < 4; i++) {
        void *p;
        OK(aclrtMallocHost(&p, 32));
        unaligned += (uintptr_t)p % 64 != 0;
    }
    EXPECT("3.2: no 64-byte guarantee", unaligned > 0);
    OK(aclrtFree(d));
    OK(aclrtFreeHost(h));
    return 0;
}
