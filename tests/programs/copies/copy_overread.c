// More is read than the block holds.
#include "../rt.h"

int main(void) {
    begin();
    char host[8192];
    char *block = device(1000);
    MUST(aclrtMemcpy(host, sizeof host, block, 1024, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtFree(block));
    end();
    return 0;
}
