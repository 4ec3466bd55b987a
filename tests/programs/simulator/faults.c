//@ run: ACLSIM_FAIL=aclrtMalloc@2,aclrtMallocHost@1=207001,aclrtFree@1=507899,sync@2,acldvppMalloc@1
//@ link: acl_dvpp
/* Failures on demand. */
#include "acl/ops/acl_dvpp.h"
#include "expect.h"

int main(void)
{
    void *p, *q, *h;
    aclrtStream stream;
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc(&p, 9, ACL_MEM_MALLOC_HUGE_FIRST));
    q = p;
    EXPECT_CODE("simulator: the second call", ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&q, 9, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT("simulator: nothing written", q == p);
    OK(aclrtMalloc(&q, 9, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("simulator", ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocHost(&h, 9));
    EXPECT_CODE("simulator", ACL_ERROR_RT_MEMORY_ALLOCATION, acldvppMalloc(&h, 9));
    EXPECT_CODE("simulator", ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtFree(p));
    EXPECT("simulator: a release that failed", aclsimIsLive(p));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMemsetAsync(q, 9, 1, 9, stream));
    OK(aclrtMemsetAsync(q, 9, 2, 9, stream));
    OK(aclrtMemsetAsync(q, 9, 3, 9, stream));
    EXPECT_CODE("9 case 41: only at the next synchronise", ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    OK(aclrtSynchronizeStream(stream));
    EXPECT("clients", strstr(aclGetRecentErrMsg(), "507015") != NULL);
    EXPECT_CODE("simulator", ACL_ERROR_RT_AICORE_EXCEPTION, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
    EXPECT_CODE("simulator", ACL_SUCCESS, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
    return 0;
}
