//@ run
/* Released memory: small blocks come back soon, large ones lose their pages. */
#include "expect.h"

int main(void)
{
    const size_t mib = 1 << 20;
    void *p, *q, *neighbour;
    unsigned char bytes[64];
    OK(aclrtSetDevice(0));

    OK(aclrtMalloc(&p, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&neighbour, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(p, 1000, 0x5a, 1000));
    OK(aclrtFree(p));
    EXPECT("5.2: the cache keeps the bytes", aclsimRead(p, bytes, 64) == ACL_SUCCESS && isFilled(bytes, 0x5a, 64));
    EXPECT_CODE("5.2: use after free is silent", ACL_SUCCESS,
                aclrtMemcpy(bytes, 64, p, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtMalloc(&q, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT("5.2: handed out again", q == p);
    EXPECT_CODE("peers 0.6: a second release hits the new owner", ACL_SUCCESS, aclrtFree(p));
    EXPECT("peers 0.6", !aclsimIsLive(q));

    OK(aclrtMalloc(&p, 64 * mib, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(p, 64, 7, 64));
    OK(aclrtFree(p));
    EXPECT("5.2: large blocks unmap", aclsimRead(p, bytes, 64) != ACL_SUCCESS);
    EXPECT("5.2", aclrtMemcpy(bytes, 64, p, 64, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS);
    OK(aclsimLaunchWrite(p, 64, 1, NULL));
    EXPECT_CODE("5.2: device fault at the next synchronise", ACL_ERROR_RT_AICORE_EXCEPTION,
                aclrtSynchronizeStream(NULL));
    OK(aclrtSynchronizeStream(NULL));
    OK(aclrtMalloc(&q, 64 * mib, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(bytes, 64, q, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("simulator: fresh pages read as zeros", isFilled(bytes, 0, 64));
    return 0;
}
