// A copy past the end of its block, and a kernel that goes on where the copy ends: two mistakes. So are the damage to a
// block that was allocated later, and a claim that no byte used.
#include "../rt.h"

int main(void) {
    begin();
    static char host[2048];
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *row = device(1000);
    MUST(aclrtMemcpy(row, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE)); // the first copy is followed by a check
    MUST(aclrtMemcpy2d(row, 512, host, 512, 498, 2, ACL_MEMCPY_HOST_TO_DEVICE)); // 512 + 498 = 1010
    MUST(aclsimLaunchWrite(row + 1010, 8, 0x41, stream));
    MUST(aclrtSynchronizeStream(stream));
    char *later = device(1000);
    MUST(aclsimLaunchWrite(later + 1000, 8, 0x41, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemcpy(later, 1010, host, 1000, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtFree(row));
    MUST(aclrtFree(later));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
