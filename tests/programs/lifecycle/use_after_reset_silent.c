// Pinned memory outlives the reset, and a device that is set again has new blocks.
#include "../rt.h"

int main(void) {
    begin();
    char *staging = pinned(64);
    MUST(aclrtFree(device(4096)));
    MUST(aclrtResetDevice(0));
    MUST(aclrtSetDevice(0));
    char *block = device(4096);
    MUST(aclrtMemcpy(staging, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtFree(block));
    MUST(aclrtFreeHost(staging));
    end();
    return 0;
}
