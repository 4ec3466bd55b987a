//@ env: ACLSIM_FAIL=sync@2=507052,aclrtSynchronizeStream@3=507046,aclrtSynchronizeDevice@1=507899
// Errors that are no kernel's: of a copy, of a wait that took too long, of the driver.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *block = device(400);
    MUST(aclrtMemsetAsync(block, 400, 0, 400, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemsetAsync(block, 400, 0, 400, stream));
    printf("%d\n", aclrtSynchronizeStream(stream));
    printf("%d\n", aclrtSynchronizeStream(stream));
    printf("%d\n", aclrtSynchronizeDevice());
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
