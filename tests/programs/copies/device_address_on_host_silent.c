// Fills of device and of pinned memory are both legal.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(256), *staging = pinned(256);
    MUST(aclrtMemset(block, 256, 0, 256));
    MUST(aclrtMemset(staging, 256, 0, 256));
    MUST(aclrtFree(block));
    MUST(aclrtFreeHost(staging));
    end();
    return 0;
}
