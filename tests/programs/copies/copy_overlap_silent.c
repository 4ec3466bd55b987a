// Adjacent ranges, a copy onto itself, and interleaved columns, which the runtime refuses on the device with 207000.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(4096);
    MUST(aclrtMemcpy(block, 2048, block + 2048, 2048, ACL_MEMCPY_DEVICE_TO_DEVICE));
    MUST(aclrtMemcpy(block, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE));
    aclrtMemcpy2d(block, 512, block + 256, 512, 256, 8, ACL_MEMCPY_DEVICE_TO_DEVICE);
    MUST(aclrtFree(block));
    end();
    return 0;
}
