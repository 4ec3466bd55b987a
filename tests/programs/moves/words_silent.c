// An exact fill; none at all; and what the acl layer refuses before a byte is written: too little memSize, an odd start, other memory.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(4096), *host = pinned(64), stack[64];
    MUST(aclrtMemsetD32(block, 4096, 7, 1024));
    MUST(aclrtMemsetD32(host, 64, 7, 16));
    MUST(aclrtMemsetD32(NULL, 0, 7, 0));
    if (aclrtMemsetD32(block, 4096, 7, 1025) == ACL_SUCCESS || aclrtMemsetD32(block + 2, 4000, 7, 900) == ACL_SUCCESS ||
        aclrtMemsetD32(stack, 64, 7, 16) == ACL_SUCCESS || aclrtMemsetD32Async(block, 4095, 7, 1024, NULL) == ACL_SUCCESS) {
        return 1;
    }
    MUST(aclrtFree(block));
    MUST(aclrtFreeHost(host));
    end();
    return 0;
}
