//@ options: guard_bytes=4096
// Overruns of many lengths, by kernels, by copies and by the host, each found at its block.
#include "../rt.h"

int main(void) {
    static const size_t lengths[] = {1, 31, 32, 33, 511, 512, 4096};
    static char ones[8192];
    memset(ones, 0x5a, sizeof ones);
    begin();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t length = lengths[i];
        char *block = device(512), *copied = device(512), *staging = pinned(512);
        MUST(aclsimLaunchWrite(block, 512 + length, 0x5a, NULL));
        MUST(aclsimLaunchCopy(copied, block, 512 + length, NULL));
        MUST(aclrtSynchronizeDevice());
        memcpy(staging, ones, 512 + length);
        MUST(aclrtFree(block));
        MUST(aclrtFree(copied));
        MUST(aclrtFreeHost(staging));
    }
    end();
    return 0;
}
