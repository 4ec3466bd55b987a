//@ run
/* Initialize, finalize, set and reset; the objects that die with a device. */
#include "expect.h"

static int states[8], state_count;
static int ended;

static void onDevice(int32_t device, aclrtDeviceState state, void *args)
{
    EXPECT("3.12", device == 0 && args == &states);
    states[state_count++] = state;
}

static aclError onFinalize(void *count)
{
    ++*(int *)count;
    return ACL_SUCCESS;
}

static void initialising(void)
{
    uint64_t count = 99;
    EXPECT_CODE("3.12", ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(NULL));
    OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, onFinalize, &ended));
    OK(aclInit(NULL));
    EXPECT_CODE("3.12: counts all the same", ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL));
    OK(aclFinalizeReference(&count));
    EXPECT("3.12", count == 1 && ended == 0);
    EXPECT_CODE("3.12", ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL));
    OK(aclFinalize());
    EXPECT("3.12: zeroes the count", ended == 1);
    EXPECT_CODE("3.12", ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
    OK(aclInit(""));
    OK(aclFinalizeReference(&count));
    EXPECT("3.12", count == 0 && ended == 2);
    EXPECT_CODE("acl.cpp", ACL_ERROR_INVALID_FILE, aclInit("/nonexistent/acl.json"));
    EXPECT_CODE("json_parser.cpp: a folder", ACL_ERROR_INVALID_FILE, aclInit("/tmp"));
    OK(aclInit(NULL));
}

static void resetting(void)
{
    void *d, *h, *later;
    aclrtStream stream;
    char byte;
    EXPECT_CODE("simulator: never set", ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice(0));
    OK(aclrtRegDeviceStateCallback("test", onDevice, &states));
    OK(aclrtSetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc(&d, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&h, 1000));
    memset(h, 7, 1000);
    OK(aclrtCreateStream(&stream));
    OK(aclrtMemsetAsync(d, 1000, 1, 1000, stream));
    OK(aclrtResetDevice(0));
    EXPECT("3.12: counted", aclsimIsLive(d));
    OK(aclrtResetDevice(0));
    EXPECT("5.5: device blocks are dropped", !aclsimIsLive(d) && aclsimLiveBlocks(0) == 0);
    EXPECT("5.5: pinned ones survive", aclsimIsLive(h) && isFilled(h, 7, 1000));
    EXPECT_CODE("5.5", ACL_ERROR_RT_PARAM_INVALID, aclrtFree(d));
    EXPECT_CODE("5.5: no context", ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&later, 9, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT("5.5", aclsimRead(d, &byte, 1) != ACL_SUCCESS);
    EXPECT("3.12: set twice, reset twice", state_count == 8);
    EXPECT("3.12", states[0] == ACL_RT_DEVICE_STATE_SET_PRE && states[1] == ACL_RT_DEVICE_STATE_SET_POST &&
                       states[6] == ACL_RT_DEVICE_STATE_RESET_PRE && states[7] == ACL_RT_DEVICE_STATE_RESET_POST);
    OK(aclrtRegDeviceStateCallback("test", NULL, NULL));
    OK(aclrtFreeHost(h));
    OK(aclrtSetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtResetDeviceForce(0));
    EXPECT("3.12: whatever the count", aclrtResetDevice(0) != ACL_SUCCESS);
}

/* An explicit context keeps the device open after its last reset. */
static void contexts(void)
{
    aclrtContext context, now;
    aclrtStream stream;
    void *d;
    int32_t device = -1;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateContext(&context, 1));
    OK(aclrtGetCurrentContext(&now));
    OK(aclrtGetDevice(&device));
    EXPECT("3.12", now == context && device == 1);
    OK(aclrtMalloc(&d, 9, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtCtxGetCurrentDefaultStream(&stream));
    EXPECT("simulator: not destroyable", aclrtDestroyStream(stream) != ACL_SUCCESS);
    OK(aclrtDestroyContext(context));
    EXPECT("5.5", !aclsimIsLive(d));
    EXPECT_CODE("api_error.cc, ContextSetCurrent", ACL_ERROR_RT_PARAM_INVALID, aclrtSetCurrentContext(context));
    EXPECT_CODE("3.12", ACL_ERROR_RT_CONTEXT_NULL, aclrtDestroyContext(context));
    OK(aclrtSetDevice(0));
    OK(aclrtGetCurrentContext(&now));
    EXPECT("simulator: the primary context is the device's", aclrtDestroyContext(now) != ACL_SUCCESS);
    OK(aclrtResetDeviceForce(0));
}

int main(void)
{
    initialising();
    resetting();
    contexts();
    void *d;
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc(&d, 9, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclFinalize());
    EXPECT("5.5: finalise frees nothing", aclsimIsLive(d));
    return 0;
}
