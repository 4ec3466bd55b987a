/* libacl_dvpp.so: the first media interface's allocator. */
#include "../public.h"
#include "../request.h"

#define PADDING 32u

aclError acldvppMalloc(void **devPtr, size_t size)
{
    ENTER();
    uint64_t bytes;
    REQUIRE(devPtr && roundedSize(size, PADDING, &bytes), ACL_ERROR_INVALID_PARAM);
    ANSWER(rtDvppMalloc(devPtr, bytes, 0));
}

aclError acldvppMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)
{
    ENTER();
    (void)policy;
    uint64_t bytes;
    REQUIRE(devPtr && roundedSize(size, PADDING, &bytes), ACL_ERROR_INVALID_PARAM);
    aclError code = configShaped(cfg);
    code = code == ACL_SUCCESS ? configForDevice(cfg) : code;
    ANSWER(code == ACL_SUCCESS ? rtDvppMalloc(devPtr, bytes, 0) : code);
}

/* Refuses host memory; the kind of device memory is not checked. */
aclError acldvppFree(void *devPtr)
{
    ENTER();
    REQUIRE(devPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtDvppFree(devPtr));
}
