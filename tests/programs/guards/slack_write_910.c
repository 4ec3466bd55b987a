//@ env: ACLSIM_SOC=Ascend910B3
// The write of guard_overrun_950.c on a 910B: within the rounding.
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
