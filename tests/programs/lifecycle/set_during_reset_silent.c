// The runtime tells the program that the device is reset, still inside the call: the program sets it again and allocates. That block is no part
// of what the reset dropped.
#include "../rt.h"

static void *block;

static void on_device(int32_t id, aclrtDeviceState state, void *unused) {
    (void)unused;
    if (state == ACL_RT_DEVICE_STATE_RESET_POST && !block) {
        MUST(aclrtSetDevice(id));
        block = device(4096);
    }
}

int main(void) {
    begin();
    MUST(aclrtRegDeviceStateCallback("program", on_device, NULL));
    MUST(aclrtResetDeviceForce(0));
    MUST(aclrtMemset(block, 4096, 1, 4096));
    MUST(aclrtFree(block));
    end();
    return 0;
}
