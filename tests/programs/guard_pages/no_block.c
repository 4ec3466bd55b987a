//@ options: guard=page
//@ env: ACLSIM_FAIL=sync@2=507035
// A kernel stops, and nothing that is known ties that to a block: those that it names are done with, and whole.
#include "launch.h"

int main(void) {
    begin();
    MUST(aclrtFree(device(64)));
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *block = device(1000);
    launch(zero, block, 1000, stream);
    MUST(aclrtSynchronizeStream(stream));
    launch(sum, NULL, 0, stream);
    printf("%d\n", aclrtSynchronizeStream(stream)); // page-fault, as a note
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
