// One of two references is released: the blocks live on. Pinned memory survives even the last one.
#include "../rt.h"

int main(void) {
    begin();
    MUST(aclrtSetDevice(0));
    char *block = device(4096), *staging = pinned(4096);
    MUST(aclrtResetDevice(0));
    MUST(aclrtFree(block));
    MUST(aclrtResetDevice(0));
    MUST(aclrtFreeHost(staging));
    MUST(aclFinalize());
    return 0;
}
