// Sizes that are refused or mean nothing: a count larger than `destMax`, no count at all, rows that are too many, allocations that cannot be.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream = NULL;
    void *none = NULL;
    MUST(aclrtCreateStream(&stream));
    char *host = pinned(65536), *block = device(65536);
    MUST(aclrtMemcpyAsync(block, 65536, host, 65536, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    if (aclrtMemcpyAsync(block, 65536, host, SIZE_MAX, ACL_MEMCPY_HOST_TO_DEVICE, stream) == ACL_SUCCESS ||
        aclrtMemcpy2dAsync(block, 64, host, 64, 64, SIZE_MAX, ACL_MEMCPY_HOST_TO_DEVICE, stream) == ACL_SUCCESS ||
        aclrtMalloc(&none, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS ||
        aclrtMalloc(&none, SIZE_MAX - 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS || aclrtMallocHost(&none, SIZE_MAX) == ACL_SUCCESS) {
        return 1;
    }
    MUST(aclrtMemcpyAsync(block, 65536, host, 0, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFree(block));
    end();
    return 0;
}
