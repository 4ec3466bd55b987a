// A buffer is moved down over itself, in one piece and by rows. The runtime refuses rows on the device with 207000.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(4096);
    MUST(aclrtMemcpy(block, 4096, block + 64, 4032, ACL_MEMCPY_DEVICE_TO_DEVICE));
    aclrtMemcpy2d(block, 512, block + 128, 512, 256, 4, ACL_MEMCPY_DEVICE_TO_DEVICE);
    MUST(aclrtFree(block));
    end();
    return 0;
}
