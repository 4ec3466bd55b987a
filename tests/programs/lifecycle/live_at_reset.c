// The device is reset and set again; live blocks are gone.
#include "../rt.h"

int main(void) {
    begin();
    device(4096);
    device(64);
    MUST(aclrtResetDevice(0));
    MUST(aclrtSetDevice(0));
    end();
    return 0;
}
