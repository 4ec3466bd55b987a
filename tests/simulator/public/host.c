/* Pinned host memory. */
#include "../public.h"
#include "../request.h"

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    ENTER();
    uint64_t bytes;
    REQUIRE(hostPtr && roundedSize(size, 0, &bytes), ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMallocHost(hostPtr, bytes, 0));
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
    ENTER();
    uint64_t bytes;
    REQUIRE(ptr && roundedSize(size, 0, &bytes), ACL_ERROR_INVALID_PARAM);
    aclError code = configAccepted(cfg);
    ANSWER(code == ACL_SUCCESS ? rtMallocHost(ptr, bytes, 0) : code);
}

aclError aclrtFreeHost(void *hostPtr)
{
    ENTER();
    REQUIRE(hostPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtFreeHost(hostPtr));
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
    ENTER();
    REQUIRE(hostPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtFreeHostWithDevSync(hostPtr));
}
