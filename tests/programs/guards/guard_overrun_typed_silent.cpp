// The typed calls of C++, within their sizes.
#include "../rt.h"
#include "acl/acl_rt_api.h"

int main() {
    begin();
    float *typed = nullptr, *pinned_values = nullptr;
    double *chosen = nullptr;
    MUST(aclrtMalloc(&typed, 160));
    MUST(aclrtMalloc(&chosen, 160, ACL_MEM_MALLOC_NORMAL_ONLY));
    MUST(aclrtMallocHost(&pinned_values, 160));
    MUST(aclsimLaunchWrite(typed, 160, 0, nullptr));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemcpy(pinned_values, 160, typed, 160, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemcpyAsync(chosen, 160, pinned_values, 160, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(typed));
    MUST(aclrtFree(chosen));
    MUST(aclrtFreeHost(pinned_values));
    end();
    return 0;
}
