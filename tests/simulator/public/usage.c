/* What memory is used for, and random numbers: the checks of the acl layer and the runtime. */
#include "../public.h"

#include <stdio.h>

aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo, size_t inputNum, size_t *outputNum)
{
    ENTER();
    int32_t current;
    struct aclsim_usage usage[2];
    REQUIRE(memUsageInfo && outputNum, ACL_ERROR_INVALID_PARAM);
    *outputNum = 0;
    REQUIRE(inputNum, ACL_ERROR_RT_PARAM_INVALID);
    REQUIRE(deviceId >= 0 && (uint32_t)deviceId < aclsimDeviceCount(), ACL_ERROR_RT_INVALID_DEVICEID);
    aclError code = rtGetDevice(&current);
    REQUIRE(code == ACL_SUCCESS, code);
    size_t count = aclsimUsage(deviceId, usage);
    for (size_t i = 0; i < count && i < inputNum; i++) {
        memUsageInfo[i] = (aclrtMemUsageInfo){.curMemSize = usage[i].now, .memPeakSize = usage[i].most};
        snprintf(memUsageInfo[i].name, sizeof memUsageInfo[i].name, "%s", usage[i].name);
    }
    *outputNum = count < inputNum ? count : inputNum;
    return ACL_SUCCESS;
}

aclError aclrtCheckMemType(void **addrList, uint32_t size, uint32_t memType, uint32_t *checkResult, uint32_t reserve)
{
    const uint32_t reserved_memory = 0x20; /* the header says 0x10, which the runtime refuses */
    ENTER();
    REQUIRE(addrList && checkResult, ACL_ERROR_INVALID_PARAM);
    *checkResult = 0;
    REQUIRE(reserve == 0 && size > 0, ACL_ERROR_RT_PARAM_INVALID);
    REQUIRE(!(memType & ~(ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | reserved_memory)), ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsCheckMemType(addrList, size, memType, checkResult));
}

aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp *prop)
{
    ENTER();
    REQUIRE(handle && prop, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtMemGetAllocationPropertiesFromHandle(handle, prop));
}

aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo, const aclrtStream stream, void *reserve)
{
    ENTER();
    REQUIRE(taskInfo && !reserve, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsLaunchRandomNumTask(taskInfo, stream));
}
