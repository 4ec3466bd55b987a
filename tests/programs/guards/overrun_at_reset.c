// A leaked block is looked at when its device is reset.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(64); // rounded to 96
    MUST(aclsimLaunchWrite(block + 96, 4, 0x44, NULL));
    MUST(aclrtSynchronizeDevice());
    end();
    return 0;
}
