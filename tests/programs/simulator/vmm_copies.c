//@ run
/* Copies and kernels in reserved ranges go as far as memory is mapped. Sources: the data sheet's 3.6, 4 and 5.2,
 * and case 14 of its section 9. */
#include <setjmp.h>
#include <signal.h>

#include "vmm.h"

static sigjmp_buf back;

static void caught(int number)
{
    siglongjmp(back, number);
}

static int faults(const volatile char *address)
{
    signal(SIGSEGV, caught);
    int number = sigsetjmp(back, 1);
    return number ? 1 : (*address, 0);
}

static void adjacentMappingsAreOneRun(char *range)
{
    aclrtDrvMemHandle left = physical(PAGE), right = physical(PAGE);
    char *host = malloc(2 * PAGE);
    OK(aclrtMapMem(range, PAGE, 0, left, 0));
    OK(aclrtMapMem(range + PAGE, PAGE, 0, right, 0));
    OK(aclrtMemset(range, 2 * PAGE, 3, 2 * PAGE));
    OK(aclrtMemcpy(host, 2 * PAGE, range, 2 * PAGE, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("3.6", isFilled(host, 3, 2 * PAGE));
    EXPECT("host code can't touch it", faults(range));
    void *base = NULL;
    size_t size = 0;
    OK(aclrtMemGetAddressRange(range + PAGE + 5, &base, &size));
    EXPECT("3.6 GetAddressRange: the mapping", base == range + PAGE && size == PAGE);
    EXPECT_CODE("4: unmapped half way", ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                aclrtMemcpy(host, 64, range + 2 * PAGE - 32, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclsimLaunchWrite(range + 2 * PAGE - 32, 64, 1, NULL));
    EXPECT_CODE("5.2", ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(NULL));
    OK(aclrtUnmapMem(range));
    EXPECT_CODE("9, case 14: nothing is mapped", ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                aclrtMemcpy(host, 64, range, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtMapMem(range, PAGE, 0, left, 0));
    OK(aclrtMemcpy(host, 64, range, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("the memory keeps its bytes while it is unmapped", isFilled(host, 3, 64));
    OK(aclrtUnmapMem(range));
    OK(aclrtUnmapMem(range + PAGE));
    OK(aclrtFreePhysical(left));
    OK(aclrtFreePhysical(right));
    free(host);
}

static void memoryMappedTwiceIsTheSame(char *range)
{
    aclrtDrvMemHandle handle = physical(PAGE);
    char host[64];
    OK(aclrtMapMem(range, PAGE, 0, handle, 0));
    OK(aclrtMemMapSelectedLink(range + 2 * PAGE, PAGE, range, ACL_RT_MEM_LINK_IDX_1));
    OK(aclrtMemset(range + 2 * PAGE, 64, 9, 64));
    OK(aclrtMemcpy(host, 64, range, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("3.6 MapSelectedLink", isFilled(host, 9, 64));
    OK(aclrtUnmapMem(range));
    OK(aclrtUnmapMem(range + 2 * PAGE));
    OK(aclrtFreePhysical(handle));
}

static void hostMemoryIsTheHosts(char *range)
{
    aclrtPhysicalMemProp prop = propOf(0);
    prop.memAttr = ACL_DDR_MEM_HUGE;
    prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    aclrtDrvMemHandle handle = NULL;
    size_t before = freeBytes();
    OK(aclrtMallocPhysical(&handle, PAGE, &prop, 0));
    EXPECT("3.6: the host's memory", freeBytes() == before);
    OK(aclrtMapMem(range, PAGE, 0, handle, 0));
    range[5] = 42;
    char copy = 0;
    OK(aclsimRead(range + 5, &copy, 1));
    EXPECT("one memory", copy == 42);
    OK(aclrtUnmapMem(range));
    EXPECT("unmapped", faults(range));
    OK(aclrtFreePhysical(handle));
}

static void lastResetDropsTheMemory(char *range)
{
    aclrtDrvMemHandle handle = physical(PAGE);
    OK(aclrtMapMem(range, PAGE, 0, handle, 0));
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    EXPECT_CODE("driver: the device's mappings go with it", ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtUnmapMem(range));
    EXPECT_CODE("driver: and its memory", ACL_ERROR_RT_PARAM_INVALID, aclrtFreePhysical(handle));
    OK(aclrtReleaseMemAddress(range));
    char host[64];
    EXPECT_CODE("4: no address of the driver's", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemcpy(host, 64, range, 64, ACL_MEMCPY_DEVICE_TO_HOST));
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    char *range = reserved(64 * PAGE);
    adjacentMappingsAreOneRun(range);
    memoryMappedTwiceIsTheSame(range);
    hostMemoryIsTheHosts(range);
    lastResetDropsTheMemory(range);
    return 0;
}
