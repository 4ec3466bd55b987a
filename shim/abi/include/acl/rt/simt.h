/* Kernels of threads, and lists of arguments in memory of the program. */
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

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void *userHostMem,
                                      size_t actualArgsSize);

#ifdef __cplusplus
}
#endif

#endif
