// An asynchronous copy into the middle of a block, off the 64 bytes that older CANN asks for.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *block = device(4096), *staging = pinned(4096);
    MUST(aclrtMemcpyAsync(block + 100, 1000, staging + 128, 1000, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFree(block));
    MUST(aclrtFreeHost(staging));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
