//@ env: ACLSIM_MEMORY_MB=256
//@ options: guard=off
// There is not enough, by the runtime's own word: a shortage, no fragmentation.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(192 << 20);
    MUST(aclrtMemset(block, 64, 0, 64));
    size_t left = 0, total = 0;
    void *refused = NULL;
    if (aclrtMalloc(&refused, 128 << 20, ACL_MEM_MALLOC_HUGE_FIRST) != 207001) return 1;
    MUST(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    MUST(aclrtFree(block));
    end();
    return 0;
}
