// Blocks of every family that are never released, at one site three times; the device is reset at the end, and not set again.
#include "../rt.h"

static char *layer(int i) {
    return device(1000 * (i + 1)); // 1000 + 2000 + 3000 bytes
}

int main(void) {
    begin();
    for (int i = 0; i < 3; i++) layer(i);
    pinned(4096); // survives the reset
    dvpp(64);
    MUST(aclrtFree(device(512)));
    end();
    return 0;
}
