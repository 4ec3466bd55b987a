/* Kernels of threads, and lists of arguments. */
#ifndef ACLSAN_RT_SIMT_H
#define ACLSAN_RT_SIMT_H

#include "../acl_base.h"
#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __BISHENG_CCEC__
typedef struct dim3 {
    uint32_t x, y, z;
#ifdef __cplusplus
    dim3(uint32_t across = 1, uint32_t down = 1, uint32_t deep = 1) : x(across), y(down), z(deep) {}
#endif
} dim3;
#endif

aclError aclrtLaunchSIMTKernelWithArgsArray(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
                                            aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args);
aclError aclrtLaunchSIMTKernelWithHostArgs(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
                                           aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize,
                                           aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum);

/* A list of the calling thread's, or one in the program's memory. Nothing is appended to one that is finished. */
aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle);
aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void *userHostMem,
                                      size_t actualArgsSize);
aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, size_t *actualArgsSize);
aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t *memSize);
aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize, aclrtParamHandle *paramHandle);
aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle);
aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,
                                             void **bufferAddr);
aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param, size_t paramSize);
aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

#ifdef __cplusplus
}
#endif

#endif
