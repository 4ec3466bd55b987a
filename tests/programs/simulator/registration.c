//@ run
/* Host memory registered for devices: a pointer for device code alone, and the codes. */
#include <sys/mman.h>

#include "expect.h"

#define BYTES ((size_t)64 << 10)

static char *pages(void)
{
    char *host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT("set-up", host != MAP_FAILED);
    return host;
}

static void deviceCodeReachesIt(void)
{
    char *host = pages(), *seen, *d, copied[64];
    OK(aclrtHostRegister(host, BYTES, ACL_HOST_REGISTER_MAPPED, (void **)&seen));
    EXPECT("3.3", seen != host);
    OK(aclsimLaunchWrite(seen + 100, 64, 0x42, NULL));
    OK(aclrtSynchronizeStream(NULL));
    EXPECT("3.3: device code writes host memory", isFilled(host + 100, 0x42, 64) && host[99] == 0);
    OK(aclrtMalloc((void **)&d, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("3.3: not for copies", ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(d, 64, seen, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
    EXPECT_CODE("3.3: not for sets", ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(seen, 64, 0, 64));
    OK(aclrtMemcpy(d, 64, host + 100, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(copied, 64, d, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("3.3: the host's own address", isFilled(copied, 0x42, 64));
    aclError twice = isAfter91() ? ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    EXPECT_CODE("probe reg.basic", twice, aclrtHostRegister(host, BYTES, 0, (void **)&seen));
    EXPECT_CODE("3.3: any byte of it", twice, aclrtHostRegisterV2(host + 4096, 4096, ACL_HOST_REG_MAPPED));
    EXPECT_CODE("api_impl.cc: by its start", ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, aclrtHostUnregister(host + 4096));
    OK(aclrtHostUnregister(host));
    EXPECT_CODE("3.3", ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, aclrtHostUnregister(host));
    OK(aclsimLaunchWrite(seen, 64, 1, NULL));
    EXPECT_CODE("simulator: a trap", ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(NULL));
    munmap(host, BYTES);
    OK(aclrtFree(d));
}

static void unmappedTooEarlyTraps(void)
{
    char *host = pages(), *seen;
    OK(aclrtHostRegister(host, BYTES, ACL_HOST_REGISTER_MAPPED, (void **)&seen));
    munmap(host, BYTES);
    OK(aclsimLaunchWrite(seen, 64, 1, NULL));
    EXPECT_CODE("3.3: unregister before munmap", ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(NULL));
    OK(aclrtHostUnregister(host));
}

static void secondFormAsksForThePointer(void)
{
    char *host = pages(), *seen, *pinned;
    OK(aclrtHostRegisterV2(host, BYTES, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
    OK(aclrtHostGetDevicePointer(host, (void **)&seen, 0));
    char *inside;
    OK(aclrtHostGetDevicePointer(host + 4096, (void **)&inside, 0));
    EXPECT("simulator: interior addresses too", inside == seen + 4096);
    EXPECT_CODE("3.3: flag is 0", ACL_ERROR_INVALID_PARAM, aclrtHostGetDevicePointer(host, (void **)&seen, 1));
    OK(aclrtHostUnregister(host));
    EXPECT_CODE("api_impl.cc", ACL_ERROR_RT_PARAM_INVALID, aclrtHostGetDevicePointer(host, (void **)&seen, 0));
    OK(aclrtHostRegisterV2(host, BYTES, ACL_HOST_REG_PINNED));
    EXPECT_CODE("3.3: pinned only", ACL_ERROR_RT_PARAM_INVALID, aclrtHostGetDevicePointer(host, (void **)&seen, 0));
    OK(aclrtHostUnregister(host));
    OK(aclrtMallocHost((void **)&pinned, BYTES));
    EXPECT_CODE("3.3: pinned already", ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegisterV2(pinned, BYTES, ACL_HOST_REG_PINNED));
    OK(aclrtHostRegisterV2(pinned, BYTES, ACL_HOST_REG_MAPPED));
    OK(aclrtHostUnregister(pinned));
    OK(aclrtFreeHost(pinned));
    EXPECT_CODE("api_error.cc: no flag", ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegisterV2(host, BYTES, 0));
    EXPECT_CODE("api_error.cc: unknown flag", ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegisterV2(host, BYTES, 0x40));
    EXPECT_CODE("9 case 17", ACL_ERROR_RT_PARAM_INVALID, aclrtHostRegisterV2(host + 64, 4096, ACL_HOST_REG_MAPPED));
    munmap(host, BYTES);
}

int main(void)
{
    char *host = pages(), *seen;
    aclrtHostMemMapCapability capability = ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
    aclrtPtrAttributes attributes;
    EXPECT_CODE("107002", ACL_ERROR_RT_CONTEXT_NULL, aclrtHostRegister(host, BYTES, 0, (void **)&seen));
    OK(aclrtSetDevice(0));
    EXPECT_CODE("3.3", ACL_ERROR_INVALID_PARAM, aclrtHostRegister(host, 0, 0, (void **)&seen));
    EXPECT_CODE("3.3", ACL_ERROR_INVALID_PARAM, aclrtHostRegister(NULL, BYTES, 0, (void **)&seen));
    EXPECT_CODE("api_error.cc", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtHostRegister(host, BYTES, 2, (void **)&seen));
    OK(aclrtPointerGetAttributes(host, &attributes));
    EXPECT("3.10", attributes.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    OK(aclrtHostRegister(host, BYTES, 0, (void **)&seen));
    OK(aclrtPointerGetAttributes(host, &attributes));
    EXPECT("simulator: as host memory", attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);
    EXPECT("3.3: undefined", aclrtPointerGetAttributes(seen, &attributes) != ACL_SUCCESS);
    OK(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_AIC, &capability));
    EXPECT("3.3", capability == ACL_RT_HOST_MEM_MAP_SUPPORTED);
    EXPECT_CODE("api_error.cc", ACL_ERROR_RT_INVALID_DEVICEID, aclrtHostMemMapCapabilities(99, 0, &capability));
    EXPECT_CODE("api_error.cc", ACL_ERROR_RT_PARAM_INVALID, aclrtHostMemMapCapabilities(0, 10, &capability));
    deviceCodeReachesIt();
    unmappedTooEarlyTraps();
    secondFormAsksForThePointer();
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    EXPECT_CODE("simulator: the device's end unregisters", ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, aclrtHostUnregister(host));
    return 0;
}
