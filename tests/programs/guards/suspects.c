// A guard is found damaged when the host waits: earlier calls that named the block are shown, and its neighbors.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *before = device(512), *block = device(1000), *behind = device(512);
    MUST(aclrtMemset(block, 1000, 0, 1000)); // looked at: whoever came before is innocent
    MUST(aclrtMemsetAsync(block, 1000, 1, 1000, stream));
    MUST(aclsimLaunchWrite(block, 1100, 2, stream));
    MUST(aclrtMemsetAsync(behind, 512, 1, 512, stream));
    MUST(aclrtSynchronizeStream(stream)); // guard-overrun
    MUST(aclrtFree(before));
    MUST(aclrtFree(block));
    MUST(aclrtFree(behind));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
