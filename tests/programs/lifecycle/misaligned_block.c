//@ env: ACLSIM_MISALIGN=32
// A runtime that gives out blocks off the documented alignment.
#include "../rt.h"

int main(void) {
    begin();
    MUST(aclrtFree(device(64)));
    end();
    return 0;
}
