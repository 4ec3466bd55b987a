// The same as mapped_freed.c, fixed.
// https://github.com/hw-native-sys/simpler/pull/1334: the old teardown gives a mapped address back by
// unmapping it.
#include "../virtual_memory/vm.h"

int main(void) {
    begin();
    char *range = reserved(2 * PAGE);
    aclrtDrvMemHandle handle = memory(PAGE);
    map(range, PAGE, handle);
    unmap(range, handle);
    MUST(aclrtReleaseMemAddress(range));
    end();
    return 0;
}
