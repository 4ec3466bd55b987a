//@ run
//@ run: ACLSIM_SOC=Ascend950
/* Addresses, memory and mappings: what is counted, refused and deferred. Sources: the data sheet's 3.6, the API
 * reference of CANN 9 ("virtual memory management"), and the driver (devmm_svm.c, ef377e95). */
#include "vmm.h"

#pragma weak aclrtMemMapNoAccess /* 9.1.0 has none */

static void handlesAreCounted(void)
{
    size_t before = freeBytes();
    char *range = reserved(8 * PAGE);
    EXPECT("3.6: addresses are no memory", freeBytes() == before);
    aclrtDrvMemHandle handle = physical(2 * PAGE), again = NULL;
    EXPECT("3.6: memory is taken with the handle", before - freeBytes() == 2 * PAGE);
    OK(aclrtMapMem(range + PAGE, 2 * PAGE, 0, handle, 0));
    EXPECT("3.6: a mapping takes nothing more", before - freeBytes() == 2 * PAGE);
    OK(aclrtMemRetainAllocationHandle(range + PAGE, &again));
    EXPECT("3.6 Retain", again == handle);
    OK(aclrtFreePhysical(handle));
    OK(aclrtFreePhysical(handle));
    EXPECT_CODE("driver: the mapping's reference is not the program's", ACL_ERROR_RT_PARAM_INVALID,
                aclrtFreePhysical(handle));
    EXPECT("3.6 FreePhysical: deferred while mapped", before - freeBytes() == 2 * PAGE);
    OK(aclrtMemset(range + PAGE, 2 * PAGE, 7, 2 * PAGE));
    OK(aclrtUnmapMem(range + PAGE));
    EXPECT("3.6 FreePhysical: until it is unmapped", freeBytes() == before);
    EXPECT_CODE("driver: retained once too few", ACL_ERROR_RT_PARAM_INVALID, aclrtFreePhysical(handle));
    OK(aclrtReleaseMemAddress(range));
}

static void bothTeardownsAreLegal(void)
{
    char *range = reserved(PAGE);
    aclrtDrvMemHandle handle = physical(PAGE);
    OK(aclrtMapMem(range, PAGE, 0, handle, 0));
    OK(aclrtUnmapMem(range));
    OK(aclrtReleaseMemAddress(range));
    OK(aclrtFreePhysical(handle));
    range = reserved(PAGE);
    handle = physical(PAGE);
    OK(aclrtMapMem(range, PAGE, 0, handle, 0));
    OK(aclrtUnmapMem(range));
    OK(aclrtFreePhysical(handle));
    OK(aclrtReleaseMemAddress(range));
}

static void wrongOrdersAreRefused(void)
{
    char *range = reserved(4 * PAGE);
    aclrtDrvMemHandle first = physical(2 * PAGE), second = physical(PAGE);
    EXPECT_CODE("3.6 Map: the handle's size", ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(range, PAGE, 0, first, 0));
    EXPECT_CODE("3.6 Map: aligned", ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(range + 4096, 2 * PAGE, 0, first, 0));
    EXPECT_CODE("3.6 Map: offset 0", ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(range, 2 * PAGE, PAGE, first, 0));
    EXPECT_CODE("3.6 Map: flags 0", ACL_ERROR_INVALID_PARAM, aclrtMapMem(range, 2 * PAGE, 0, first, 1));
    EXPECT_CODE("driver: inside the range", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMapMem(range + 3 * PAGE, 2 * PAGE, 0, first, 0));
    OK(aclrtMapMem(range + PAGE, 2 * PAGE, 0, first, 0));
    EXPECT_CODE("driver: pages in use", ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                aclrtMapMem(range + 2 * PAGE, PAGE, 0, second, 0));
    EXPECT_CODE("driver: PARA_ERROR is none of the mapped codes", ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtUnmapMem(range));
    EXPECT_CODE("driver: the exact start", ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtUnmapMem(range + 2 * PAGE));
    EXPECT("3.6 Release: mappings first", aclrtReleaseMemAddress(range) != ACL_SUCCESS);
    EXPECT_CODE("5.2: should be freed by halMemAddressFree", ACL_ERROR_RT_PARAM_INVALID, aclrtFree(range));
    EXPECT_CODE("5.2", ACL_ERROR_RT_PARAM_INVALID, aclrtFree(range + PAGE));
    OK(aclrtUnmapMem(range + PAGE));
    EXPECT_CODE("3.6 Unmap: once", ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtUnmapMem(range + PAGE));
    EXPECT_CODE("3.6 Release: base only", ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress(range + PAGE));
    OK(aclrtReleaseMemAddress(range));
    EXPECT_CODE("3.6 Release: once", ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress(range));
    void *block;
    OK(aclrtMalloc(&block, PAGE, ACL_MEM_MALLOC_HUGE_ONLY));
    EXPECT_CODE("driver: no reserved range", ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress(block));
    EXPECT_CODE("driver: no reserved range", ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(block, PAGE, 0, second, 0));
    OK(aclrtFree(block));
    OK(aclrtFreePhysical(first));
    OK(aclrtFreePhysical(second));
}

static void accessIsThatOfTheMapping(void)
{
    char *range = reserved(2 * PAGE);
    aclrtDrvMemHandle handle = physical(PAGE), other = physical(PAGE);
    uint64_t flags = 9;
    char host[64];
    aclrtMemAccessDesc desc = {ACL_RT_MEM_ACCESS_FLAGS_READWRITE, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, {0}};
    if (aclrtMemMapNoAccess) {
        OK(aclrtMemMapNoAccess(range, PAGE, 0, handle, 0));
        OK(aclrtMemGetAccess(range, &desc.location, &flags));
        EXPECT("3.6 MapNoAccess", flags == ACL_RT_MEM_ACCESS_FLAGS_NONE);
        EXPECT_CODE("3.6 MapNoAccess", ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                    aclrtMemcpy(host, 64, range, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    } else {
        OK(aclrtMapMem(range, PAGE, 0, handle, 0));
    }
    OK(aclrtMapMem(range + PAGE, PAGE, 0, other, 0));
    EXPECT_CODE("3.6 SetAccess: the mapping's size", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemSetAccess(range, 2 * PAGE, &desc, 1));
    OK(aclrtMemSetAccess(range, PAGE, &desc, 1));
    OK(aclrtMemGetAccess(range, &desc.location, &flags));
    EXPECT("3.6 SetAccess", flags == ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
    OK(aclrtMemcpy(host, 64, range, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
    EXPECT_CODE("driver: only both", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemSetAccess(range, PAGE, &desc, 1));
    OK(aclrtUnmapMem(range));
    OK(aclrtUnmapMem(range + PAGE));
    OK(aclrtReleaseMemAddress(range));
    OK(aclrtFreePhysical(handle));
    OK(aclrtFreePhysical(other));
}

static void argumentsHaveTheirCodes(void)
{
    void *address = NULL;
    aclrtDrvMemHandle handle = NULL;
    size_t granularity = 0;
    aclrtPhysicalMemProp prop = propOf(0);
    OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity));
    EXPECT("driver: huge pages", granularity == PAGE);
    prop.memAttr = ACL_HBM_MEM_NORMAL;
    OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &granularity));
    EXPECT("3.6: normal pages are served as huge ones", granularity == PAGE);
    prop.memAttr = ACL_DDR_MEM_HUGE;
    EXPECT_CODE("9, case 15", ACL_ERROR_INVALID_PARAM,
                aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity));
    EXPECT_CODE("3.6: DDR is the host's", ACL_ERROR_INVALID_PARAM, aclrtMallocPhysical(&handle, PAGE, &prop, 0));
    prop = propOf(0);
    prop.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    EXPECT_CODE("3.6: handle type NONE", ACL_ERROR_INVALID_PARAM, aclrtMallocPhysical(&handle, PAGE, &prop, 0));
    prop = propOf(99);
    EXPECT_CODE("runtime: a device there is", ACL_ERROR_RT_INVALID_DEVICEID,
                aclrtMallocPhysical(&handle, PAGE, &prop, 0));
    EXPECT_CODE("3.6: size 0", ACL_ERROR_INVALID_PARAM, aclrtReserveMemAddress(&address, 0, 0, NULL, 0));
    EXPECT_CODE("3.6: flags 0 or 1", ACL_ERROR_INVALID_PARAM, aclrtReserveMemAddress(&address, PAGE, 0, NULL, 2));
    EXPECT_CODE("3.6: alignment 0", ACL_ERROR_RT_PARAM_INVALID, aclrtReserveMemAddress(&address, PAGE, 4096, NULL, 0));
    EXPECT_CODE("3.6: 16 to 24 TiB", ACL_ERROR_RT_PARAM_INVALID,
                aclrtReserveMemAddress(&address, PAGE, 0, (void *)0x1000, 0));
    OK(aclrtReserveMemAddress(&address, 3 * PAGE, 0, (void *)0x102000000000, 1));
    EXPECT("3.6: where it was asked for", address == (void *)0x102000000000);
    OK(aclrtReleaseMemAddress(address));
    OK(aclrtReserveMemAddressNoUCMemory(&address, (size_t)1 << 30, 0, (void *)0x300000000000, 0));
    EXPECT("3.6 NoUCMemory", address == (void *)0x300000000000);
    OK(aclrtReleaseMemAddress(address));
    EXPECT_CODE("acl layer", ACL_ERROR_INVALID_PARAM, aclrtFreePhysical(NULL));
    EXPECT_CODE("acl layer", ACL_ERROR_INVALID_PARAM, aclrtUnmapMem(NULL));
    EXPECT_CODE("acl layer", ACL_ERROR_INVALID_PARAM, aclrtReleaseMemAddress(NULL));
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    handlesAreCounted();
    bothTeardownsAreLegal();
    wrongOrdersAreRefused();
    accessIsThatOfTheMapping();
    argumentsHaveTheirCodes();
    return 0;
}
