/* Lists of a kernel's arguments: the checks of the acl layer. */
#include "../public.h"

/* Room for the runtime's own arguments (api_impl.cc, KernelArgsGetMemSize). */
#define HEADER_BYTES 64u

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)
{
    ENTER();
    REQUIRE(funcHandle && argsHandle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsKernelArgsInit(funcHandle, argsHandle));
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void *userHostMem,
                                      size_t actualArgsSize)
{
    ENTER();
    REQUIRE(funcHandle && argsHandle && userHostMem && actualArgsSize, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsKernelArgsInitByUserMem(funcHandle, argsHandle, userHostMem, actualArgsSize));
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, size_t *actualArgsSize)
{
    ENTER();
    REQUIRE(funcHandle && actualArgsSize, ACL_ERROR_INVALID_PARAM);
    REQUIRE(userArgsSize && userArgsSize < SIZE_MAX - HEADER_BYTES, ACL_ERROR_RT_PARAM_INVALID);
    *actualArgsSize = userArgsSize + HEADER_BYTES;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t *memSize)
{
    ENTER();
    REQUIRE(funcHandle && memSize, ACL_ERROR_INVALID_PARAM);
    *memSize = rtsKernelArgsHandleSize();
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize, aclrtParamHandle *paramHandle)
{
    ENTER();
    REQUIRE(argsHandle && param && paramSize && paramHandle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsKernelArgsAppend(argsHandle, param, paramSize, paramHandle));
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle)
{
    ENTER();
    REQUIRE(argsHandle && paramHandle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsKernelArgsAppendPlaceHolder(argsHandle, paramHandle));
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,
                                             void **bufferAddr)
{
    ENTER();
    REQUIRE(argsHandle && paramHandle && dataSize && bufferAddr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsKernelArgsGetPlaceHolderBuffer(argsHandle, paramHandle, dataSize, bufferAddr));
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param, size_t paramSize)
{
    ENTER();
    REQUIRE(argsHandle && paramHandle && param && paramSize, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsKernelArgsParaUpdate(argsHandle, paramHandle, param, paramSize));
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
    ENTER();
    REQUIRE(argsHandle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsKernelArgsFinalize(argsHandle));
}
