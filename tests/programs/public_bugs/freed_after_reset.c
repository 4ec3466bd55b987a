// A runner's memory is freed when its device has been reset.
// https://github.com/hw-native-sys/simpler/pull/532: `rtFree` after `rtDeviceReset` answers 507899.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(4096);
    MUST(aclrtResetDevice(0));
    printf("%d\n", aclrtFree(block));
    MUST(aclFinalize());
    return 0;
}
