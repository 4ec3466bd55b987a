// Both ends of copies, and a fill, in blocks that were released.
#include "../rt.h"

int main(void) {
    begin();
    char host[4096] = {0};
    char *block = device(4096);
    MUST(aclrtFree(block));
    aclrtMemcpy(host, sizeof host, block, 4096, ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtMemcpy(block + 64, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemset(block, 4096, 0, 4096);
    end();
    return 0;
}
