// Blocks that fit and live until the stream is done; a size that the runtime refuses, before a release.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream = NULL;
    MUST(aclrtCreateStream(&stream));
    char *block = device(192);
    MUST(aclrtResetOverflowStatus(stream));
    MUST(aclrtGetOverflowStatus(block, 64, stream));
    MUST(aclrtGetFloatOverflowStatus(block + 64, 64, stream));
    MUST(aclrtNpuGetFloatOverFlowStatus(block + 128, 64, 0, stream));
    MUST(aclrtSynchronizeStream(stream));
    if (aclrtGetOverflowStatus(block, 4096, stream) == ACL_SUCCESS || aclrtGetFloatOverflowStatus(NULL, 64, stream) == ACL_SUCCESS) return 1;
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
