// Copies and fills that leave their block: by an honest destMax that is not, row by row, and by a fill.
#include "../rt.h"

int main(void) {
    begin();
    char host[8192] = {0};
    char *block = device(4096);
    MUST(aclrtMemcpy(block + 4000, 200, host, 200, ACL_MEMCPY_HOST_TO_DEVICE)); // 104 bytes too many
    MUST(aclrtMemcpy2d(block, 1024, host, 1024, 1000, 5, ACL_MEMCPY_HOST_TO_DEVICE)); // 4 * 1024 + 1000 = 5096
    MUST(aclrtMemset(block, 4097, 0, 4097));
    MUST(aclrtFree(block));
    end();
    return 0;
}
