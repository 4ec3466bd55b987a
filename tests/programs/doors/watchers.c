// What the program does when the runtime tells it of beginnings and ends: blocks that come with a device and a stream, and go with them.
#include "../rt.h"

static void *with_device, *with_stream, *until_the_end;

static aclError at_start(const char *config, size_t length, void *unused) {
    (void)config, (void)length, (void)unused;
    printf("start\n");
    return ACL_SUCCESS;
}

static aclError at_end(void *unused) {
    (void)unused;
    MUST(aclrtFreeHost(until_the_end));
    return ACL_SUCCESS;
}

static void on_device(int32_t id, aclrtDeviceState state, void *unused) {
    (void)id, (void)unused;
    if (state == ACL_RT_DEVICE_STATE_SET_POST) {
        with_device = device(4096);
    } else if (state == ACL_RT_DEVICE_STATE_RESET_PRE) {
        MUST(aclrtFree(with_device));
    }
}

static void on_stream(aclrtStream stream, aclrtStreamState state, void *unused) {
    (void)stream, (void)unused;
    if (!until_the_end) {
        return; // the default stream, before there is a context to allocate in
    }
    if (state == ACL_RT_STREAM_STATE_CREATE_POST) {
        with_stream = device(4096);
    } else {
        MUST(aclrtFree(with_stream));
    }
}

int main(void) {
    aclrtStream stream;
    MUST(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, at_start, NULL));
    MUST(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, at_end, NULL));
    MUST(aclrtRegDeviceStateCallback("program", on_device, NULL));
    MUST(aclrtRegStreamStateCallback("program", on_stream, NULL));
    begin();
    until_the_end = pinned(4096);
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtRegStreamStateCallback("program", NULL, NULL));
    end();
    printf("%zu blocks left\n", aclsimLiveBlocks(0) + aclsimLiveBlocks(-1));
    return 0;
}
