// Full blocks, rows that end with the block, a copy of nothing, and one that the runtime itself refuses.
#include "../rt.h"

int main(void) {
    begin();
    char host[8192] = {0};
    char *block = device(4096);
    MUST(aclrtMemcpy(block, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(block + 4095, 1, host, 1, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy2d(block, 1024, host, 1500, 1024, 4, ACL_MEMCPY_HOST_TO_DEVICE)); // 3 * 1024 + 1024 = 4096
    MUST(aclrtMemcpy(block + 4096, 0, host, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemset(block, 4096, 0, 4096));
    if (aclrtMemcpy(block, 4096, host, 5000, ACL_MEMCPY_HOST_TO_DEVICE) == 0) return 1;
    MUST(aclrtFree(block));
    end();
    return 0;
}
