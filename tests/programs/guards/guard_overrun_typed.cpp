// The typed aclrtMalloc of C++ asks for no padding: bytes that are rounding after a block of the plain call belong to another block here.
#include "../rt.h"
#include "acl/acl_rt_api.h"

int main() {
    begin();
    float *typed = nullptr;
    MUST(aclrtMalloc(&typed, 100));
    char bytes[160] = {0};
    MUST(aclsimLaunchWrite(typed, sizeof bytes, 0, nullptr)); // 100 rounded to 128, and 32 more
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(typed));
    int *staging = nullptr;
    MUST(aclrtMallocHost(&staging, 64));
    staging[16] = 0;
    MUST(aclrtFreeHost(staging));
    end();
    return 0;
}
