// A kernel and the host write past their blocks, beyond the runtime's own rounding (ALIGN_UP(1000, 32) + 32 = 1056).
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *block = device(1000);
    MUST(aclsimLaunchWrite(block + 1050, 16, 0x41, stream)); // 1050..1066: six bytes of rounding, ten of guard
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFree(block));
    char *staging = pinned(100); // rounded to 128
    memset(staging + 128, 0x42, 8);
    MUST(aclrtFreeHost(staging));
    char *picture = dvpp(64); // rounded to 96
    MUST(aclsimLaunchWrite(picture + 96, 1, 0x43, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(acldvppFree(picture));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
