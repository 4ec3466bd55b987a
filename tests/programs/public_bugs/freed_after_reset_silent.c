// The same as freed_after_reset.c, fixed.
// https://github.com/hw-native-sys/simpler/pull/532: `rtFree` after `rtDeviceReset` answers 507899;
// what the runner holds goes first.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(4096);
    MUST(aclrtFree(block));
    end();
    return 0;
}
