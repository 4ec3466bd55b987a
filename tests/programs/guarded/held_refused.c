//@ options: quarantine_mb=4
//@ env: ACLSIM_FAIL=aclrtFree@2
// A release that the runtime refuses only when a block that was held back really goes.
#include "../rt.h"

int main(void) {
    begin();
    MUST(aclrtFree(device(64)));
    char *block = device(1000);
    int status = aclrtFree(block);
    end();
    return status;
}
