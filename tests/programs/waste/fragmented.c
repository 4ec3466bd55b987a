//@ env: ACLSIM_FAIL=aclrtMalloc@2 ACLSIM_MEMORY_MB=4096
//@ options: guard=off
// The runtime has just reported gigabytes free and refuses 64 MiB; the program continues with the memory it has.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(8 << 20);
    MUST(aclrtMemset(block, 64, 0, 64));
    size_t left = 0, total = 0;
    MUST(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    void *refused = NULL;
    if (aclrtMalloc(&refused, 64 << 20, ACL_MEM_MALLOC_HUGE_FIRST) != 207001) return 1;
    MUST(aclrtFree(block));
    end();
    return 0;
}
