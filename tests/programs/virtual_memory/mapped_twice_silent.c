// One handle mapped in two ranges; memory that its mappings, or references taken from them, keep; ranges and handles whose numbers are reused.
#include "vm.h"

int main(void) {
    begin();
    for (int step = 0; step < 3; step++) {
        char *first = reserved(8 * PAGE), *second = reserved(8 * PAGE);
        aclrtDrvMemHandle one = memory(PAGE), two = memory(2 * PAGE), kept = NULL, also = NULL;
        map(first, PAGE, one);
        map(second + PAGE, PAGE, one);
        map(first + PAGE, 2 * PAGE, two);
        MUST(aclrtMemset(first, 3 * PAGE, 1, 3 * PAGE));
        MUST(aclrtMemcpy(second + PAGE, PAGE, first, PAGE, ACL_MEMCPY_DEVICE_TO_DEVICE));
        MUST(aclrtMemRetainAllocationHandle(first, &kept));
        MUST(aclrtMemRetainAllocationHandle(first + PAGE, &also));
        MUST(aclrtFreePhysical(one));
        MUST(aclrtFreePhysical(two));
        MUST(aclrtUnmapMem(first));
        map(first + 4 * PAGE, PAGE, kept);
        MUST(aclrtMemset(first + 4 * PAGE, PAGE, 1, PAGE));
        MUST(aclrtUnmapMem(first + 4 * PAGE));
        MUST(aclrtUnmapMem(second + PAGE));
        unmap(first + PAGE, kept);
        MUST(aclrtFreePhysical(also));
        MUST(aclrtReleaseMemAddress(first));
        MUST(aclrtReleaseMemAddress(second));

        first = reserved(4 * PAGE);
        one = memory(PAGE);
        map(first, PAGE, one);
        MUST(aclrtFreePhysical(one)); // the mapping keeps it
        MUST(aclrtMemset(first, PAGE, 1, PAGE));
        MUST(aclrtUnmapMem(first));
        one = memory(PAGE);
        map(first, PAGE, one);
        MUST(aclrtMemset(first, PAGE, 1, PAGE));
        unmap(first, one);
        MUST(aclrtReleaseMemAddress(first));
        char *block = device(4096);
        MUST(aclrtMemset(block, 4096, 1, 4096));
        MUST(aclrtFree(block));
    }
    end();
    return 0;
}
