// A copy from a block that the device's reset has dropped.
#include "../rt.h"

int main(void) {
    begin();
    char host[64];
    char *block = device(4096);
    MUST(aclrtResetDevice(0));
    aclrtMemcpy(host, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST);
    MUST(aclFinalize());
    return 0;
}
