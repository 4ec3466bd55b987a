// Resets that drop nothing, and a last one after which the device is not set again (what it drops is a leak, not this).
#include "../rt.h"

int main(void) {
    begin();
    MUST(aclrtSetDevice(0));
    char *block = device(4096);
    MUST(aclrtResetDevice(0)); // one reference is left
    MUST(aclrtSetDevice(0));
    MUST(aclrtFree(block));
    MUST(aclrtResetDevice(0));
    MUST(aclrtResetDevice(0));
    MUST(aclrtSetDevice(0));
    device(64);
    end();
    return 0;
}
