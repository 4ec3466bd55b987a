// Sizes that no block has, as a subtraction that wraps gives them: each call is one mistake.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream = NULL;
    MUST(aclrtCreateStream(&stream));
    char *host = pinned(65536), *block = device(65536), *other = device(65536);
    size_t small = 16, large = 17;
    MUST(aclrtMemcpyAsync(host, small - large, block, small - large, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    MUST(aclrtMemcpyAsync(block, SIZE_MAX, host, SIZE_MAX, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    MUST(aclrtMemcpyAsync(block, SIZE_MAX, other, (size_t)1 << 63, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    MUST(aclrtMemsetAsync(other, SIZE_MAX, 0, SIZE_MAX - 15, stream));
    aclrtSynchronizeStream(stream); // The device may have faulted.
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFree(other));
    MUST(aclrtFree(block));
    end();
    return 0;
}
