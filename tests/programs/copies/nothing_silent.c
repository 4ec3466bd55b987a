// Sizes of 0: allocations that fail and leave no block, copies and fills that are done before anything is looked at.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(64);
    void *none = NULL;
    if (aclrtMalloc(&none, 0, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_ERROR_INVALID_PARAM ||
        aclrtMallocHost(&none, 0) != ACL_ERROR_INVALID_PARAM || none) {
        return 1;
    }
    MUST(aclrtMemcpy(block + 100, 0, block + 200, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy2d(block + 100, 0, block, 0, 0, 9, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy2d(block + 100, 0, block, 0, 9, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemset(block + 100, 0, 0, 0));
    MUST(aclrtMemsetD32(block + 100, 0, 0, 0));
    MUST(aclrtFree(block));
    end();
    return 0;
}
