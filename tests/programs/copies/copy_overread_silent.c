// The destination is larger than the copied size.
#include "../rt.h"

int main(void) {
    begin();
    char host[8192];
    char *block = device(1000);
    MUST(aclrtMemcpy(host, sizeof host, block, 1000, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemcpy(host, sizeof host, block + 999, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtFree(block));
    end();
    return 0;
}
