//@ run
/* Managed memory: one address for host and devices, released by aclrtFree. */
#include "expect.h"

#define MIB ((size_t)1 << 20)

static const aclrtMemManagedLocation on_device = {ACL_MEM_LOCATIONTYPE_DEVICE, 0};
static const aclrtMemManagedLocation on_host = {ACL_MEM_LOCATIONTYPE_HOST, 0};

static int32_t ask(aclrtMemManagedRangeAttribute attribute, const void *range, size_t size)
{
    int32_t found = 99;
    OK(aclrtMemManagedGetAttr(attribute, range, size, &found, sizeof found));
    return found;
}

static void adviceIsKept(char *m)
{
    int32_t accessors[3], mostly;
    OK(aclrtMemManagedAdvise(m, 2 * MIB, ACL_MEM_ADVISE_SET_READ_MOSTLY, on_device));
    EXPECT("25-02: all pages", ask(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, 2 * MIB) == 1);
    EXPECT("25-02: all pages", ask(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, 4 * MIB) == 0);
    OK(aclrtMemManagedAdvise(m, 4 * MIB, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, on_host));
    EXPECT("25-02", ask(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, m, 4 * MIB) == -1);
    EXPECT("25-02", ask(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, m, 4 * MIB) == ACL_MEM_LOCATIONTYPE_HOST);
    OK(aclrtMemManagedAdvise(m, 2 * MIB, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, on_device));
    EXPECT("25-02", ask(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, m, 4 * MIB) == -2);
    EXPECT("25-02", ask(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, m, 2 * MIB) == 0);
    OK(aclrtMemManagedAdvise(m, 4 * MIB, ACL_MEM_ADVISE_SET_ACCESSED_BY, on_device));
    void *data[2] = {&mostly, accessors};
    size_t sizes[2] = {sizeof mostly, sizeof accessors};
    aclrtMemManagedRangeAttribute asked[2] = {ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY};
    OK(aclrtMemManagedGetAttrs(asked, 2, m, 4 * MIB, data, sizes));
    EXPECT("25-02", mostly == 0 && accessors[0] == 0 && accessors[1] == -2);
    EXPECT_CODE("3.9: 2 MiB", ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedAdvise(m, MIB, ACL_MEM_ADVISE_SET_READ_MOSTLY, on_device));
    aclrtMemManagedLocation nowhere = {ACL_MEM_LOCATIONTYPE_DEVICE, 99};
    EXPECT_CODE("api_error_uvm.cc", ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedAdvise(m, 2 * MIB, 0, nowhere));
    EXPECT_CODE("25-02: 4 bytes", ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedGetAttr(1, m, 2 * MIB, accessors, 8));
}

static void prefetchIsQueued(char *m)
{
    const void *ranges[2] = {m, m + 2 * MIB};
    size_t sizes[2] = {2 * MIB, 2 * MIB}, from[2] = {0, 1}, wrong[2] = {1, 0};
    aclrtMemManagedLocation to[2] = {on_device, on_host};
    OK(aclrtMemManagedPrefetchAsync(m, 4 * MIB, on_device, 0, NULL));
    EXPECT_CODE("acl layer", ACL_ERROR_INVALID_PARAM, aclrtMemManagedPrefetchAsync(m, 2 * MIB, on_device, 1, NULL));
    EXPECT_CODE("3.9: 2 MiB", ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedPrefetchAsync(m, 4096, on_device, 0, NULL));
    OK(aclrtMemManagedPrefetchBatchAsync(ranges, sizes, 2, to, from, 2, 0, NULL));
    EXPECT_CODE("api_error_uvm.cc", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemManagedPrefetchBatchAsync(ranges, sizes, 2, to, wrong, 2, 0, NULL));
    EXPECT_CODE("acl layer", ACL_ERROR_INVALID_PARAM, aclrtMemManagedPrefetchBatchAsync(ranges, sizes, 1, to, from, 2, 0, NULL));
    OK(aclrtSynchronizeStream(NULL));
    EXPECT("25-02", ask(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, m, 2 * MIB) == 0);
    EXPECT("25-02", ask(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, m + 2 * MIB, 2 * MIB) == -1);
}

int main(void)
{
    char *m, *d;
    void *p;
    aclrtPtrAttributes attributes;
    EXPECT_CODE("107002", ACL_ERROR_RT_CONTEXT_NULL, aclrtMemAllocManaged(&p, 100, 1));
    OK(aclrtSetDevice(0));
    EXPECT_CODE("3.9: flag is 1", ACL_ERROR_INVALID_PARAM, aclrtMemAllocManaged(&p, 100, 0));
    EXPECT_CODE("api_error.cc: size 0", ACL_ERROR_RT_PARAM_INVALID, aclrtMemAllocManaged(&p, 0, 1));
    OK(aclrtMemAllocManaged((void **)&m, 3 * MIB, ACL_RT_MEM_ATTACH_GLOBAL));
    EXPECT("3.9: up to 2 MiB", sizeOf(m) == 4 * MIB);
    EXPECT("3.9: its range", (uintptr_t)m >= 0x90000000000ull && (uintptr_t)m < 0x90000000000ull + (3ull << 40));
    memset(m, 7, 3 * MIB);
    OK(aclrtMalloc((void **)&d, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpyAsync(d, 4096, m, 4096, ACL_MEMCPY_DEFAULT, NULL));
    OK(aclsimLaunchWrite(m + 64, 64, 9, NULL));
    OK(aclrtSynchronizeStream(NULL));
    EXPECT("3.9: one memory", m[63] == 7 && isFilled(m + 64, 9, 64));
    OK(aclrtPointerGetAttributes(m + 10, &attributes));
    EXPECT("2", attributes.location.type == ACL_MEM_LOCATION_TYPE_MANAGED);
    adviceIsKept(m);
    prefetchIsQueued(m);
    EXPECT_CODE("5.2: not aclrtFreeHost", ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(m));
    EXPECT_CODE("5.2: exact start", ACL_ERROR_RT_PARAM_INVALID, aclrtFree(m + 2 * MIB));
    OK(aclrtFree(m));
    EXPECT_CODE("5.2", ACL_ERROR_RT_PARAM_INVALID, aclrtFree(m));
    EXPECT_CODE("simulator: its pages are gone", ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(d, 64, m, 64, ACL_MEMCPY_DEFAULT));
    EXPECT_CODE("3.9", ACL_ERROR_RT_PARAM_INVALID, aclrtMemManagedAdvise(d, 2 * MIB, 0, on_device));
    return 0;
}
