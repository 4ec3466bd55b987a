// Every kind with the ends that it names; DEFAULT with any.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *block = device(4096), *other = device(4096), *staging = pinned(4096), *picture = dvpp(4096);
    char local[64] = {0};
    MUST(aclrtMemcpyAsync(block, 4096, staging, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    MUST(aclrtMemcpyAsync(staging, 4096, picture, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    MUST(aclrtMemcpyAsync(other, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    MUST(aclrtMemcpyAsync(block, 64, local, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemcpy(local, 64, staging, 64, ACL_MEMCPY_HOST_TO_HOST));
    MUST(aclrtMemcpy(block, 64, local, 64, ACL_MEMCPY_DEFAULT));
    MUST(aclrtMemcpy(local, 64, block, 64, ACL_MEMCPY_DEFAULT));
    MUST(aclrtFree(block));
    MUST(aclrtFree(other));
    MUST(aclrtFreeHost(staging));
    MUST(acldvppFree(picture));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
