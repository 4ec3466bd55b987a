//@ options: guard=both
// A kernel and the host write before their blocks.
#include "../rt.h"

int main(void) {
    begin();
    MUST(aclrtFree(device(64))); // a guard needs a machine that is known
    char *below = device(4096), *block = device(1000);
    MUST(aclsimLaunchWrite(block - 16, 64, 0x41, NULL));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(block));
    char *staging_below = pinned(4096), *staging = pinned(100);
    staging[-1] = 0x42;
    memset(staging + 128, 0x43, 2); // 100 rounded to 128: both sides of one block
    MUST(aclrtFreeHost(staging));
    char *large_below = device(3 << 20), *large = device(3 << 20); // 2 MiB before it
    MUST(aclsimLaunchWrite(large - 4096, 1, 0x44, NULL));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(large));
    MUST(aclrtFree(large_below));
    MUST(aclrtFree(below));
    MUST(aclrtFreeHost(staging_below));
    end();
    return 0;
}
