/* Faults: queries and callbacks. */
#include "../public.h"

#include <stdio.h>
#include <string.h>

#define NO_INFORMATION ((aclError)0xFFFFFFFFu)

static bool isDevice(int64_t id)
{
    return id >= 0 && id < aclsimDeviceCount();
}

/* A device here is never broken: tasks fail, the chip doesn't. */
aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo)
{
    ENTER();
    REQUIRE(errorInfo, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isDevice(deviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    errorInfo->tryRepair = 0;
    errorInfo->hasDetail = 0;
    errorInfo->errorType = ACL_RT_NO_ERROR;
    errorInfo->detail.aicoreErrType = ACL_RT_AICORE_ERROR_UNKNOWN;
    return ACL_SUCCESS;
}

aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize, size_t *retSize)
{
    ENTER();
    (void)arraySize;
    REQUIRE(memUceInfoArray && retSize, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isDevice(deviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    *retSize = 0;
    return ACL_SUCCESS;
}

/* A registration of its own for each function. */
static void nameOf(aclrtExceptionInfoCallback callback, char name[64])
{
    snprintf(name, 64, "callback:%p", *(void **)&callback);
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)
{
    ENTER();
    char name[64];
    REQUIRE(callback, ACL_ERROR_RT_PARAM_INVALID);
    nameOf(callback, name);
    ANSWER(rtRegTaskFailCallbackByModule(name, callback));
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)
{
    ENTER();
    char name[64];
    REQUIRE(callback, ACL_ERROR_RT_PARAM_INVALID);
    nameOf(callback, name);
    ANSWER(rtRegTaskFailCallbackByModule(name, NULL));
}

/* The failed task is known; its arguments are not kept. */
aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, void **devArgsPtr, uint32_t *devArgsLen)
{
    ENTER();
    REQUIRE(info, NO_INFORMATION);
    REQUIRE(devArgsPtr && devArgsLen, ACL_ERROR_INVALID_PARAM);
    ANSWER(NO_INFORMATION);
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, aclrtFuncHandle *func)
{
    ENTER();
    REQUIRE(info, NO_INFORMATION);
    REQUIRE(func, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_RT_PARAM_INVALID);
}

aclError aclrtGetThreadLastTaskId(uint32_t *taskId)
{
    ENTER();
    REQUIRE(taskId, ACL_ERROR_INVALID_PARAM);
    *taskId = rtThreadLastTask();
    return ACL_SUCCESS;
}

/* What an operator says of the task that it queued last goes to a profiler, and there is none. */
#define MOST_INFORMATION 65536u

aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr, const size_t infoSize)
{
    ENTER();
    REQUIRE(infoPtr && infoSize, ACL_ERROR_INVALID_PARAM);
    REQUIRE(infoSize <= MOST_INFORMATION, ACL_ERROR_RT_PARAM_INVALID);
    return ACL_SUCCESS;
}

aclError aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr, const size_t infoSize)
{
    ENTER();
    REQUIRE(extendInfoPtr && infoSize, ACL_ERROR_RT_PARAM_INVALID);
    return ACL_SUCCESS;
}

/* Dumps of operators' inputs and outputs: taken to be on and off, and never written. */
static _Atomic bool dumps;

aclError aclmdlInitDump(void)
{
    ENTER();
    REQUIRE(!dumps, ACL_ERROR_REPEAT_INITIALIZE);
    dumps = true;
    return ACL_SUCCESS;
}

aclError aclmdlSetDump(const char *dumpCfgPath)
{
    ENTER();
    REQUIRE(dumpCfgPath, ACL_ERROR_INVALID_PARAM);
    REQUIRE(dumps, ACL_ERROR_DUMP_NOT_RUN);
    ANSWER(aclsimConfigChecked(dumpCfgPath));
}

aclError aclmdlFinalizeDump(void)
{
    ENTER();
    REQUIRE(dumps, ACL_ERROR_DUMP_NOT_RUN);
    dumps = false;
    return ACL_SUCCESS;
}
