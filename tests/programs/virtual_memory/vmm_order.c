// Each order that virtual memory does not have; the runtime refuses all of them.
#include "vm.h"

int main(void) {
    begin();
    char *range = reserved(8 * PAGE);
    aclrtDrvMemHandle first = memory(2 * PAGE), second = memory(PAGE);
    void *block = device(PAGE);
    aclrtMapMem(range, PAGE, 0, first, 0); // half of the memory
    map(range, 2 * PAGE, first);
    aclrtMapMem(range + PAGE, PAGE, 0, second, 0); // where the first is
    aclrtMapMem(range + 8 * PAGE - 4096, PAGE, 0, second, 0); // past the end
    aclrtMapMem(block, PAGE, 0, second, 0); // no range
    aclrtUnmapMem(range + PAGE); // the middle of a mapping
    aclrtUnmapMem(range + 4 * PAGE); // nothing there
    aclrtMemAccessDesc desc = {ACL_RT_MEM_ACCESS_FLAGS_READWRITE, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, {0}};
    aclrtMemSetAccess(range, 4 * PAGE, &desc, 1); // more than the mapping
    aclrtMemSetAccess(range + 4 * PAGE, PAGE, &desc, 1); // nothing there
    aclrtReleaseMemAddress(range); // a mapping is left
    unmap(range, first);
    aclrtMapMem(range, 2 * PAGE, 0, first, 0); // freed memory
    MUST(aclrtReleaseMemAddress(range));
    aclrtMapMem(range, PAGE, 0, second, 0); // a range that is gone
    MUST(aclrtFreePhysical(second));
    MUST(aclrtFree(block));
    end();
    return 0;
}
