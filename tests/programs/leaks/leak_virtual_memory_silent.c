// The same, released; the memory before the mappings, which keep it.
#include "../virtual_memory/vm.h"

int main(void) {
    begin();
    char *range = reserved(16 * PAGE);
    for (int i = 0; i < 3; i++) {
        aclrtDrvMemHandle handle = memory(2 * PAGE);
        map(range + 2 * i * PAGE, 2 * PAGE, handle);
        MUST(aclrtFreePhysical(handle));
    }
    for (int i = 0; i < 3; i++)
        MUST(aclrtUnmapMem(range + 2 * i * PAGE));
    MUST(aclrtReleaseMemAddress(range));
    end();
    return 0;
}
