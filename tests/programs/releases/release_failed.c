//@ env: ACLSIM_FAIL=aclrtFree@1=507899
// The runtime refuses a proper release; the program does not look.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(4096);
    aclrtFree(block);
    MUST(aclrtFree(block)); // still live: no double free
    end();
    return 0;
}
