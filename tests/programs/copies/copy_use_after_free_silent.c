// The memory of a released block belongs to a new one, larger than the old.
#include "../rt.h"

int main(void) {
    begin();
    char host[8192] = {0};
    char *old = device(512);
    MUST(aclrtFree(old));
    for (int i = 0; i < 8; i++) {
        char *block = device(8192);
        MUST(aclrtMemcpy(block, 8192, host, 8192, ACL_MEMCPY_HOST_TO_DEVICE));
        MUST(aclrtMemcpy(host, 8192, block + 512, 512, ACL_MEMCPY_DEVICE_TO_HOST));
        MUST(aclrtFree(block));
        old = device(512);
        MUST(aclrtMemcpy(old, 512, host, 512, ACL_MEMCPY_HOST_TO_DEVICE));
        MUST(aclrtFree(old));
    }
    end();
    return 0;
}
