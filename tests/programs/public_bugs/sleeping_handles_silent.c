//@ env: ACLSIM_MEMORY_MB=64
// The same as sleeping_handles.c, fixed.
// https://github.com/vllm-project/vllm-ascend/issues/2546: `aclrtMallocPhysical` answers 207001 again and again when the model wakes, while
// earlier memory is held; here it is not.
#include "../virtual_memory/vm.h"

enum { PAGES = 12 };

int main(void) {
    begin();
    char *range = reserved(PAGES * PAGE);
    for (int round = 0; round < 3; round++) {
        aclrtPhysicalMemProp prop = {ACL_MEM_HANDLE_TYPE_NONE, ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_HBM_MEM_HUGE,
                                     {0, ACL_MEM_LOCATION_TYPE_DEVICE}, 0};
        aclrtDrvMemHandle handle = NULL;
        if (aclrtMallocPhysical(&handle, PAGES * PAGE, &prop, 0) != ACL_SUCCESS) {
            puts("refused");
            break;
        }
        map(range, PAGES * PAGE, handle);
        MUST(aclrtUnmapMem(range)); // to sleep
        MUST(aclrtFreePhysical(handle));
    }
    MUST(aclrtReleaseMemAddress(range));
    end();
    return 0;
}
