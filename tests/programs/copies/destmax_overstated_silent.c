// Bounds that are the block's, the rest of the block's, or the copy's own size; and an untracked host destination.
#include "../rt.h"

int main(void) {
    begin();
    char host[8192] = {0};
    char *block = device(4096);
    MUST(aclrtMemcpy(block, 4096, host, 100, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(block + 1024, 3072, host, 100, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(block, 100, host, 100, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(host, 1 << 20, block, 100, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtFree(block));
    end();
    return 0;
}
