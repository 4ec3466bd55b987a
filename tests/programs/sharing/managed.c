// Managed memory: an overrun, a use after the release, two releases, the wrong one, one inside.
#include "shared.h"

int main(void) {
    void *block = NULL;
    begin();
    MUST(aclrtMemAllocManaged(&block, 3 << 20, ACL_RT_MEM_ATTACH_GLOBAL));
    char *bytes = block;
    MUST(aclrtMemset(bytes + (3 << 20) - 64, 128, 0, 128));
    printf("%d\n", aclrtFreeHost(bytes));
    printf("%d\n", aclrtFree(bytes + 64));
    MUST(aclrtFree(bytes));
    printf("%d\n", aclrtFree(bytes));
    printf("%d\n", aclrtMemset(bytes, 64, 0, 64));
    end();
    return 0;
}
