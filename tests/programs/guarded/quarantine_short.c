//@ options: quarantine_mb=64:guard=off
//@ env: ACLSIM_MEMORY_MB=128
// The quarantine is released before the program gets an out-of-memory error; it still gets one for a real shortage.
#include "../rt.h"

int main(void) {
    begin();
    for (int i = 0; i < 8; i++) {
        char *block = device(60 << 20), *other = NULL;
        MUST(aclrtFree(block));
        other = device(100 << 20);
        MUST(aclrtFree(other));
    }
    void *much = NULL;
    printf("%d\n", aclrtMalloc(&much, (size_t)1 << 40, ACL_MEM_MALLOC_HUGE_FIRST));
    end();
    return 0;
}
