//@ run: ACLSIM_SOC=Ascend910B3
/* Limits, switches, ids, and memory use. Sources: the runtime's api_error.cc and api_impl.cc, and its acl layer. */
#include "expect.h"

static aclrtStream stream;

static void cores(void)
{
    uint32_t all = 0, now = 0;
    OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, &all));
    EXPECT("a chip has cores", all > 1);
    EXPECT_CODE("SetDeviceResLimit: more than there are", ACL_ERROR_RT_PARAM_INVALID,
                aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, all + 1));
    EXPECT_CODE("SetDeviceResLimit: another kind", ACL_ERROR_RT_PARAM_INVALID,
                aclrtSetDeviceResLimit(0, (aclrtDevResLimitType)2, 1));
    EXPECT_CODE("a device that is not set", ACL_ERROR_RT_DEV_SETUP_ERROR,
                aclrtGetDeviceResLimit(1, ACL_RT_DEV_RES_CUBE_CORE, &now));
    OK(aclrtSetStreamResLimit(stream, ACL_RT_DEV_RES_CUBE_CORE, 1));
    OK(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &now));
    EXPECT("UseStreamResInCurrentThread: only for threads that say so", now == all);
    OK(aclrtUseStreamResInCurrentThread(stream));
    OK(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &now));
    EXPECT("the stream's", now == 1);
    OK(aclrtUnuseStreamResInCurrentThread(stream));
    OK(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, all - 1));
    OK(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &now));
    EXPECT("the device's", now == all - 1);
    OK(aclrtResetStreamResLimit(stream));
    OK(aclrtGetStreamResLimit(stream, ACL_RT_DEV_RES_CUBE_CORE, &now));
    EXPECT("ResetStreamResLimit", now == all - 1);
    OK(aclrtResetDeviceResLimit(0));
}

static void attributes(void)
{
    aclrtStreamAttrValue value = {0};
    uint32_t on = 9;
    value.failureMode = 1;
    OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value));
    value.failureMode = 0;
    EXPECT_CODE("StreamSetMode: never back", ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value));
    EXPECT_CODE("SetStreamOverflowSwitch: 0 or 1", ACL_ERROR_RT_PARAM_INVALID,
                aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &(aclrtStreamAttrValue){.overflowSwitch = 2}));
    OK(aclrtSetStreamOverflowSwitch(stream, 1));
    OK(aclrtGetStreamOverflowSwitch(stream, &on));
    EXPECT("SetStreamOverflowSwitch", on == 1);
    value.userCustomTag = 77;
    OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
    value.userCustomTag = 0;
    OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
    EXPECT("SetStreamTag", value.userCustomTag == 77);
    EXPECT_CODE("api_c_stream.cc: another attribute", ACL_ERROR_RT_PARAM_INVALID,
                aclrtGetStreamAttribute(stream, (aclrtStreamAttr)99, &value));
}

static void options(void)
{
    int64_t value = 9;
    EXPECT_CODE("GetSysParamOpt: not set", ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    OK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    EXPECT("of the context", value == 1);
    EXPECT_CODE("and not of the process", ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
}

static void counts(void)
{
    uint32_t before = 0, after = 0, id = 0;
    aclrtStream more;
    aclrtEvent event;
    OK(aclrtGetStreamAvailableNum(&before));
    OK(aclrtCreateStream(&more));
    OK(aclrtGetStreamAvailableNum(&after));
    EXPECT("GetAvailStreamNum", after + 1 == before);
    OK(aclrtDestroyStream(more));
    OK(aclrtGetEventAvailNum(&before));
    OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    OK(aclrtGetEventId(event, &id));
    OK(aclrtGetEventAvailNum(&after));
    EXPECT("GetEventAvailNum", after + 1 == before);
    OK(aclrtDestroyEvent(event));
}

static void ids(void)
{
    int32_t id = -1;
    aclrtUuid one, two;
    OK(aclrtGetPhyDevIdByLogicDevId(3, &id));
    EXPECT("all devices are visible", id == 3);
    EXPECT_CODE("device.cpp", ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetPhyDevIdByLogicDevId(99, &id));
    OK(aclrtDeviceGetUuid(0, &one));
    OK(aclrtDeviceGetUuid(1, &two));
    EXPECT("no two devices have the same", memcmp(&one, &two, sizeof one) != 0);
}

/* Memory that is mapped into a reserved range is none of a kind. */
static void mappedMemoryHasNoKind(void)
{
    enum { PAGE = 2 << 20 };
    aclrtPhysicalMemProp property = {
        .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED, .memAttr = ACL_HBM_MEM_HUGE, .location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    aclrtDrvMemHandle handle;
    void *range;
    uint32_t is = 9;
    OK(aclrtReserveMemAddress(&range, PAGE, 0, NULL, 0));
    OK(aclrtMallocPhysical(&handle, PAGE, &property, 0));
    OK(aclrtMapMem(range, PAGE, 0, handle, 0));
    OK(aclrtCheckMemType(&range, 1, ACL_RT_MEM_TYPE_DEV, &is, 0));
    EXPECT("CheckMemType of a mapping: the real runtime's answer", is == 0);
    OK(aclrtUnmapMem(range));
    OK(aclrtFreePhysical(handle));
    OK(aclrtReleaseMemAddress(range));
}

static void usage(void)
{
    aclrtMemUsageInfo info[4];
    size_t count = 99;
    void *block, *host;
    uint32_t is = 9;
    OK(aclrtMalloc(&block, (size_t)64 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&host, 4096));
    EXPECT_CODE("GetMemUsageInfo: no room", ACL_ERROR_RT_PARAM_INVALID, aclrtGetMemUsageInfo(0, info, 0, &count));
    EXPECT("GetMemUsageInfo: none yet", count == 0);
    OK(aclrtGetMemUsageInfo(0, info, 4, &count));
    EXPECT("in use", count > 0 && info[0].curMemSize >= (size_t)64 << 20);
    OK(aclrtFree(block));
    OK(aclrtGetMemUsageInfo(0, info, 4, &count));
    EXPECT("the most so far", info[0].memPeakSize >= (size_t)64 << 20);
    OK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtCheckMemType(&block, 1, ACL_RT_MEM_TYPE_DEV, &is, 0));
    EXPECT("device memory", is == 1);
    void *both[] = {block, host};
    OK(aclrtCheckMemType(both, 2, ACL_RT_MEM_TYPE_DEV, &is, 0));
    EXPECT("not all of it", is == 0);
    EXPECT_CODE("CheckMemType: the header's own value", ACL_ERROR_RT_PARAM_INVALID,
                aclrtCheckMemType(&block, 1, ACL_RT_MEM_TYPE_RSVD, &is, 0));
    OK(aclrtFree(block));
    OK(aclrtFreeHost(host));
}

static void faults(void)
{
    aclrtErrorInfo info;
    size_t count = 9;
    aclrtMemUceInfo lost[2];
    OK(aclrtGetErrorVerbose(0, &info));
    EXPECT("dfx.cpp: a device that works", info.errorType == ACL_RT_NO_ERROR && !info.hasDetail && !info.tryRepair);
    EXPECT_CODE("dfx.cpp", ACL_ERROR_INVALID_PARAM, aclrtGetErrorVerbose(0, NULL));
    OK(aclrtGetMemUceInfo(0, lost, 2, &count));
    EXPECT("no memory lost its bits", count == 0);
}

int main(void)
{
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    cores();
    attributes();
    options();
    counts();
    ids();
    usage();
    mappedMemoryHasNoKind();
    faults();
    return 0;
}
