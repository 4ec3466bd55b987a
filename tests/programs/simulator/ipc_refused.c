//@ run: ACLSIM_SOC=Ascend310B4-RC
/* A chip that is its own host shares nothing between processes, and knows no registration and no managed memory. */
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
    EXPECT_CODE("pages of the documents", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemAllocManaged(&d, 4096, 1));
    void *host = aligned_alloc(65536, 65536);
    EXPECT_CODE("pages of the documents", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtHostRegister(host, 65536, 0, &d));
    EXPECT_CODE("pages of the documents", ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                aclrtHostRegisterV2(host, 65536, ACL_HOST_REG_PINNED));
    return 0;
}
