//@ run: ACLSIM_MISALIGN=64
//@ run: ACLSIM_MISALIGN=32
//@ link: acl_dvpp
/* Starts that break the documented alignment, and nothing else. */
#include "acl/ops/acl_dvpp.h"
#include "expect.h"

int main(void)
{
    size_t by = strtoul(getenv("ACLSIM_MISALIGN"), NULL, 10);
    char *p[6], byte;
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc((void **)&p[0], 1000, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclrtMalloc((void **)&p[1], 1000, ACL_MEM_MALLOC_HUGE_ONLY));
    OK(aclrtMalloc((void **)&p[2], 64 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost((void **)&p[3], 1000));
    OK(acldvppMalloc((void **)&p[4], 1000));
    for (int i = 0; i < 5; i++) {
        EXPECT("simulator", (uintptr_t)p[i] % (2 * by) == by);
        EXPECT("simulator", sizeOf(p[i]) >= 1000);
        OK(aclrtMemset(p[i], 1000, i, 1000));
        OK(aclrtMemcpy(&byte, 1, p[i] + 999, 1, ACL_MEMCPY_DEVICE_TO_HOST));
        EXPECT("simulator", byte == i);
        EXPECT_CODE("5.2", ACL_ERROR_RT_PARAM_INVALID, aclrtFree(p[i] - by));
        OK(aclrtFree(p[i]));
    }
    return 0;
}
