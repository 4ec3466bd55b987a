/* Host functions, and reports of tasks that fail. */
#include "../public.h"

#define NO_INFORMATION 0xFFFFFFFFu

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    ENTER();
    ANSWER(rtSubscribeReport(threadId, stream));
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    ENTER();
    ANSWER(rtUnSubscribeReport(threadId, stream));
}

aclError aclrtProcessReport(int32_t timeout)
{
    ENTER();
    REQUIRE(timeout == -1 || timeout > 0, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtProcessReport(timeout));
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream)
{
    ENTER();
    REQUIRE(blockType == ACL_CALLBACK_BLOCK || blockType == ACL_CALLBACK_NO_BLOCK, ACL_ERROR_INVALID_PARAM);
    REQUIRE(fn, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtCallbackLaunch(fn, userData, stream, blockType == ACL_CALLBACK_BLOCK));
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    ENTER();
    REQUIRE(fn, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsLaunchHostFunc(stream, fn, args));
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
    ENTER();
    ANSWER(rtRegTaskFailCallbackByModule("ASCENDCL", callback));
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->taskid : NO_INFORMATION;
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->streamid : NO_INFORMATION;
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->tid : NO_INFORMATION;
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->deviceid : NO_INFORMATION;
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->retcode : NO_INFORMATION;
}
