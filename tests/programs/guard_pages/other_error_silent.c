//@ options: guard=page
//@ env: ACLSIM_FAIL=sync@1=507018,sync@2=507054,sync@3=507014
// The device fails for reasons that are no block's: its own CPU, its memory, time.
#include "launch.h"

int main(void) {
    begin();
    MUST(aclrtFree(device(64)));
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *block = device(1000);
    for (int i = 0; i < 3; i++) {
        launch(zero, block, 1000, stream);
        printf("%d\n", aclrtSynchronizeStream(stream));
    }
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
