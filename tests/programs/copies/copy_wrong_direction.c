// The kind says one thing, the pointers another.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *block = device(4096), *staging = pinned(4096);
    aclrtMemcpy(block, 4096, staging, 4096, ACL_MEMCPY_DEVICE_TO_HOST);              // ignored: a note
    aclrtMemcpyAsync(staging, 4096, block, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream); // an error
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFree(block));
    MUST(aclrtFreeHost(staging));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
