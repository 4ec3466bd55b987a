//@ options: fill=on
// Results that are fetched before anything wrote them, wholly and in part.
#include "../rt.h"

int main(void) {
    static char host[4096];
    begin();
    char *block = device(4096), *picture = dvpp(64);
    MUST(aclrtMemcpy(host, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclsimLaunchWrite(block, 3000, 0, NULL));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemcpy(host, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_HOST)); // 1096 bytes from 3000 on
    MUST(aclrtMemcpy(host, 16, picture + 48, 16, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtFree(block));
    MUST(acldvppFree(picture));
    end();
    return 0;
}
