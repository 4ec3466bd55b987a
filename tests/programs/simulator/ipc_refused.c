//@ run: ACLSIM_SOC=Ascend310B4-RC
/* A chip that is its own host shares nothing between processes. */
#include "expect.h"

int main(void)
{
    void *d;
    char key[65];
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc(&d, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT_CODE("IPC page of the documents", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcMemGetExportKey(d, 4096, key, 65, 0));
    EXPECT_CODE("IPC page of the documents", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcMemImportByKey(&d, "00", 0));
    EXPECT_CODE("IPC page of the documents", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcMemClose("00"));
    return 0;
}
