/* Pinned host memory. */
#include "../public.h"
#include "../request.h"

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    ENTER();
    REQUIRE(hostPtr && size, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMallocHost(hostPtr, wrappedSize(size), 0));
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
    ENTER();
    REQUIRE(ptr && size, ACL_ERROR_INVALID_PARAM);
    aclError code = configForHost(cfg);
    ANSWER(code == ACL_SUCCESS ? rtMallocHost(ptr, wrappedSize(size), 0) : code);
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
