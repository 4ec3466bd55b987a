//@ options: quarantine_mb=4
// Work that was still queued writes a block that its host has released, and a pointer outlives a pinned one.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *block = device(1000), *staging = pinned(200);
    MUST(aclrtFree(block));
    MUST(aclsimLaunchWrite(block + 16, 4, 0x41, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFreeHost(staging));
    memset(staging + 190, 0, 8);
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
