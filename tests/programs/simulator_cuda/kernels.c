/* Kernels of the host run in stream order with a copy of their arguments; a fault stays with the context. */
#include "expect.h"

static sem_t gate;

static void store(const struct cusimLaunch *launch)
{
    const CUdeviceptr address = *(CUdeviceptr *)launch->arguments[0];
    unsigned char *bytes = cusimReach(address, 4);
    if (bytes) {
        memset(bytes, *(char *)launch->arguments[1], 4);
    }
}

int main(void)
{
    const size_t sizes[] = {8, 1};
    CUmodule module;
    CUfunction function;
    CUdeviceptr block;
    char value = 7, now[4];
    size_t offset, size;
    begin();
    sem_init(&gate, 0, 0);
    EXPECT("registered", cusimKernel("store", store, 2, sizes));
    EXPECT_CODE("not an image", CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "elsewhere"));
    EXPECT_CODE("no such kernel", CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, CUSIM_MODULE "absent\n"));
    OK(cuModuleLoadData(&module, CUSIM_MODULE "store\n"));
    EXPECT_CODE("no such name", CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "load"));
    OK(cuModuleGetFunction(&function, module, "store"));
    OK(cuFuncGetParamInfo(function, 1, &offset, &size));
    EXPECT("layout", offset == 8 && size == 1);
    EXPECT_CODE("no such parameter", CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(function, 2, &offset, &size));
    OK(cuMemAlloc(&block, 64));
    void *arguments[] = {&block, &value};
    OK(cuLaunchHostFunc(NULL, waitForGate, &gate));
    OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    value = 8; /* the launch has its own */
    sem_post(&gate);
    OK(cuMemcpyDtoH(now, block, 4));
    EXPECT("stored", isFilled(now, 7, 4));
    EXPECT_CODE("no threads", CUDA_ERROR_INVALID_VALUE,
                cuLaunchKernel(function, 1, 1, 1, 0, 1, 1, 0, NULL, arguments, NULL));
    EXPECT_CODE("no arguments", CUDA_ERROR_INVALID_VALUE,
                cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuMemFree(block));
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    EXPECT_CODE("released memory", CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    EXPECT_CODE("it stays", CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&block, 64));
    OK(cuDevicePrimaryCtxReset(0));
    OK(cuMemAlloc(&block, 64));
    return 0;
}
