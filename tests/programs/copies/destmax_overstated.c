// The bound is the source's size, not the destination's: today the copy fits, tomorrow nothing stops it.
#include "../rt.h"

int main(void) {
    begin();
    char host[8192] = {0};
    char *block = device(4096);
    MUST(aclrtMemcpy(block, sizeof host, host, 100, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemset(block + 1024, 4096, 0, 100));
    MUST(aclrtFree(block));
    end();
    return 0;
}
