//@ env: ACLSIM_SOC=Ascend950
// The same write is harmless rounding on a 910B (ALIGN_UP(1000, 32) + 32 = 1056) and an overrun on a 950, which adds no padding (1024).
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(1000);
    MUST(aclsimLaunchWrite(block + 1024, 4, 0x45, NULL));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(block));
    end();
    return 0;
}
