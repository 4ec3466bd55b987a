// The same as shrunk_segment.c, fixed.
// https://github.com/vllm-project/vllm-ascend/issues/116: a copy between blocks answers 507001, and `expandable_segments:False` cures it:
// here the segment shrinks after the copy.
#include "../virtual_memory/vm.h"

int main(void) {
    begin();
    char *range = reserved(4 * PAGE), *target = device(2 * PAGE);
    aclrtDrvMemHandle first = memory(PAGE), second = memory(PAGE);
    map(range, PAGE, first);
    map(range + PAGE, PAGE, second);
    MUST(aclrtMemset(range, 2 * PAGE, 0, 2 * PAGE));
    MUST(aclrtMemcpy(target, 2 * PAGE, range, 2 * PAGE, ACL_MEMCPY_DEVICE_TO_DEVICE));
    unmap(range + PAGE, second);
    unmap(range, first);
    MUST(aclrtReleaseMemAddress(range));
    MUST(aclrtFree(target));
    end();
    return 0;
}
