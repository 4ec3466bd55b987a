// The memory of blocks before guard pages is freed at their release and at the reset.
#include "../guard_pages/launch.h"

static size_t available(void) {
    size_t available = 0, total = 0;
    MUST(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total));
    return available;
}

int main(void) {
    begin();
    MUST(aclrtFree(device(64)));
    for (int i = 0; i < 2; i++) {
        size_t before = available();
        char *block = device(1000), *large = device(3 << 20);
        printf("%d", before > available());
        MUST(aclrtFree(block));
        MUST(aclrtFree(large));
        printf(" %d %d\n", before == available(), aclrtFree(block));
        MUST(aclrtFree(large = device(4096)));
        printf("%d %d %d\n", aclrtFree(large + 64), aclrtFreeHost(device(100)), (int)((uintptr_t)large % 512));
        device(1000); // dropped by the reset
        end();
        begin();
    }
    printf("%d\n", aclsimLiveBlocks(0) == 0);
    for (int i = 0; i < 3000; i++) { // more than rest unmapped at once
        MUST(aclrtFree(device(64)));
    }
    end();
    return 0;
}
