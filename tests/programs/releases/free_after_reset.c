// The device is reset before its blocks are released.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(4096);
    MUST(aclrtResetDevice(0));
    aclrtFree(block);
    MUST(aclrtSetDevice(0)); // what it dropped was released, if late: nothing more is reported
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
    return 0;
}
