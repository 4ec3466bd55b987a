// `aclrtFree` on memory that was mapped.
// https://github.com/hw-native-sys/simpler/pull/1334: the old teardown gives a mapped address to
// `aclrtFree`.
#include "../virtual_memory/vm.h"

int main(void) {
    begin();
    char *range = reserved(2 * PAGE);
    aclrtDrvMemHandle handle = memory(PAGE);
    map(range, PAGE, handle);
    printf("%d\n", aclrtFree(range));
    unmap(range, handle);
    MUST(aclrtReleaseMemAddress(range));
    end();
    return 0;
}
