// A program that ends without a reset has its guards looked at, of device memory and of pinned.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(64), *staging = pinned(64); // rounded to 96, and to 64
    MUST(aclsimLaunchWrite(block + 96, 4, 0x44, NULL));
    MUST(aclrtSynchronizeDevice());
    staging[64] = 0;
    return 0;
}
