// A copy past the end of its block: the claim that let it through and the bytes that it damaged are the same mistake. The
// second block's damage is found at once, the first one's at its release, the third one's in its rounding.
#include "../rt.h"

int main(void) {
    begin();
    static char host[2048];
    char *row = device(1000), *staging = pinned(200), *rows = device(1000);
    MUST(aclrtMemcpy(row, 1064, host, 1064, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(staging, 208, host, 208, ACL_MEMCPY_HOST_TO_HOST));
    MUST(aclrtMemcpy2d(rows, 512, host, 512, 500, 2, ACL_MEMCPY_HOST_TO_DEVICE)); // 512 + 500 = 1012
    MUST(aclrtFree(row));
    MUST(aclrtFreeHost(staging));
    MUST(aclrtFree(rows));
    end();
    return 0;
}
