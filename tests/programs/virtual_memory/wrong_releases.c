// Ranges, memory and mappings released twice, by the wrong call, or by the wrong address.
#include "vm.h"

int main(void) {
    begin();
    char *range = reserved(4 * PAGE);
    aclrtDrvMemHandle handle = memory(PAGE);
    void *block = device(PAGE);
    map(range + PAGE, PAGE, handle);
    aclrtFree(range); // a range is no block
    aclrtFree(range + PAGE); // nor is what is mapped in it
    aclrtReleaseMemAddress(block); // nor the other way round
    MUST(aclrtFreePhysical(handle));
    aclrtFreePhysical(handle); // the mapping's own reference
    MUST(aclrtUnmapMem(range + PAGE));
    aclrtUnmapMem(range + PAGE);
    aclrtReleaseMemAddress(range + PAGE); // not its start
    MUST(aclrtReleaseMemAddress(range));
    aclrtReleaseMemAddress(range);
    MUST(aclrtFree(block));
    end();
    return 0;
}
