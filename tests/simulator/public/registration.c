/* Host memory registered for devices: what the acl layer checks itself. */
#include "../public.h"

aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)
{
    ENTER();
    REQUIRE(ptr && devPtr && size, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsHostRegister(ptr, size, (uint32_t)type, devPtr));
}

aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)
{
    ENTER();
    REQUIRE(ptr && size, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtHostRegisterV2(ptr, size, flag));
}

aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag)
{
    ENTER();
    REQUIRE(pHost && pDevice && flag == 0, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtHostGetDevicePointer(pHost, pDevice, flag));
}

aclError aclrtHostUnregister(void *ptr)
{
    ENTER();
    REQUIRE(ptr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsHostUnregister(ptr));
}

aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType, aclrtHostMemMapCapability *capabilities)
{
    ENTER();
    REQUIRE(capabilities, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtHostMemMapCapabilities(deviceId, (uint32_t)hacType, capabilities));
}
