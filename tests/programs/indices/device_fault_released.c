//@ env: ACLSIM_FAIL=sync@2=507035
// A kernel stops, and a block that it may use was released while it was queued.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *block = device(400), *other = device(64);
    MUST(aclrtMemsetAsync(other, 64, 0, 64, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemsetAsync(block, 400, 0, 400, stream));
    MUST(aclrtFree(block)); // free-in-flight
    printf("%d\n", aclrtSynchronizeStream(stream));
    MUST(aclrtFree(other));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
