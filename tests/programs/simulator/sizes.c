//@ run: SIZES_PADDING=32
//@ run: SIZES_PADDING=32 ACLSIM_SOC=Ascend310P3
//@ run: SIZES_PADDING=0 ACLSIM_SOC=Ascend950
//@ link: acl_dvpp acl_dvpp_mpi
/* How large a block each allocator really asks for. */
#include "acl/dvpp/hi_dvpp.h"
#include "acl/ops/acl_dvpp.h"
#include "expect.h"

static size_t up32(size_t size)
{
    return (size + 31) / 32 * 32;
}

int main(void)
{
    const size_t sizes[] = {1, 31, 32, 33, 1000, 4096, 1 << 20, (1 << 20) + 1};
    size_t padding = strtoul(getenv("SIZES_PADDING"), NULL, 10);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = sizes[i];
        void *p;
        OK(aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT("5.1 aclrtMalloc; peers 0.1", sizeOf(p) == up32(size) + padding);
        OK(aclrtMallocCached(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY));
        EXPECT("3.1 aclrtMallocCached", sizeOf(p) == up32(size) + padding);
        OK(aclrtMallocAlign32(&p, size, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT("3.1 aclrtMallocAlign32", sizeOf(p) == up32(size));
        OK(aclrtMallocWithCfg(&p, size, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
        EXPECT("5.1 aclrtMallocWithCfg", sizeOf(p) == up32(size));
        OK(aclrtMallocForTaskScheduler(&p, size, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
        EXPECT("5.1 aclrtMallocForTaskScheduler", sizeOf(p) == up32(size));
        OK(aclrtMallocHost(&p, size));
        EXPECT("3.2 aclrtMallocHost", sizeOf(p) == up32(size));
        OK(aclrtMallocHostWithCfg(&p, size, NULL));
        EXPECT("3.2 aclrtMallocHostWithCfg", sizeOf(p) == up32(size));
        OK(acldvppMalloc(&p, size));
        EXPECT("3.11 acldvppMalloc", sizeOf(p) == up32(size) + 32);
        OK(acldvppMallocWithCfg(&p, size, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
        EXPECT("3.11 acldvppMallocWithCfg", sizeOf(p) == up32(size) + 32);
        EXPECT_CODE("3.11 hi_mpi_dvpp_malloc", HI_SUCCESS, hi_mpi_dvpp_malloc(0, &p, size));
        EXPECT("3.11 hi_mpi_dvpp_malloc", sizeOf(p) == up32(size) + 32);
    }
    return 0;
}
