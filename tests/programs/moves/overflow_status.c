// Overflow queries write 64 bytes of device memory in stream order: past a block, and into one that is released meanwhile.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream = NULL;
    MUST(aclrtCreateStream(&stream));
    char *small = device(32), *gone[3];
    for (int i = 0; i < 3; i++) gone[i] = device(64);
    MUST(aclrtGetOverflowStatus(small, 64, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtGetOverflowStatus(gone[0], 64, stream));
    MUST(aclrtFree(gone[0]));
    MUST(aclrtGetFloatOverflowStatus(gone[1], 64, stream));
    MUST(aclrtFree(gone[1]));
    MUST(aclrtNpuGetFloatOverFlowStatus(gone[2], 64, 0, stream));
    MUST(aclrtFree(gone[2]));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFree(small));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
