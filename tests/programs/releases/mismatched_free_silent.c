// Every allocation with every release of its own family.
#include "../rt.h"

int main(void) {
    void *block = NULL;
    begin();
    MUST(aclrtFree(device(1)));
    MUST(aclrtMallocAlign32(&block, 100, ACL_MEM_MALLOC_NORMAL_ONLY));
    MUST(aclrtFreeWithDevSync(block));
    MUST(aclrtMallocCached(&block, 100, ACL_MEM_MALLOC_HUGE_ONLY));
    MUST(aclrtFree(block));
    MUST(aclrtMallocWithCfg(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    MUST(aclrtFree(block));
    MUST(aclrtMallocForTaskScheduler(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    MUST(aclrtFree(block));
    MUST(aclrtFreeHost(pinned(100)));
    MUST(aclrtMallocHostWithCfg(&block, 100, NULL));
    MUST(aclrtFreeHostWithDevSync(block));
    MUST(acldvppFree(dvpp(100)));
    MUST(acldvppMallocWithCfg(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    MUST(acldvppFree(block));
    MUST(hi_mpi_sys_init());
    MUST(hi_mpi_dvpp_malloc(0, &block, 100));
    MUST(hi_mpi_dvpp_free(block));
    MUST(hi_mpi_sys_exit());
    end();
    return 0;
}
