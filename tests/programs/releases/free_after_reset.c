// The device is reset before its blocks are released.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(4096);
    MUST(aclrtResetDevice(0));
    aclrtFree(block);
    MUST(aclFinalize());
    return 0;
}
