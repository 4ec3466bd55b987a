/* Kernels: a handle is the address of a host function here, which runs in stream order with its own copy of the arguments. */
#include "../public.h"

#include <stdlib.h>
#include <string.h>

struct kernel {
    void (*run)(void *args);
    max_align_t args[];
};

static aclError run(void *argument)
{
    struct kernel *kernel = argument;
    kernel->run(kernel->args);
    return aclsimTrapped();
}

static aclError launch(aclrtFuncHandle handle, uint32_t blocks, const void *args, size_t size, aclrtStream stream)
{
    if (!handle || !blocks || (!args && size)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    struct kernel *kernel = malloc(sizeof *kernel + size);
    if (!kernel) {
        return ACL_ERROR_BAD_ALLOC;
    }
    kernel->run = (void (*)(void *))handle;
    if (size) {
        memcpy(kernel->args, args, size);
    }
    return aclsimEnqueue(stream, run, free, kernel);
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize,
                           aclrtStream stream)
{
    ENTER();
    ANSWER(launch(funcHandle, numBlocks, argsData, argsSize, stream));
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize,
                             aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
    ENTER();
    (void)cfg;
    ANSWER(launch(funcHandle, numBlocks, argsData, argsSize, stream));
}

/* Handles of arguments are not there. */
aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve)
{
    ENTER();
    (void)numBlocks, (void)stream, (void)cfg, (void)reserve;
    REQUIRE(funcHandle && argsHandle, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum)
{
    ENTER();
    (void)cfg, (void)placeHolderArray;
    REQUIRE(placeHolderNum == 0, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    ANSWER(launch(funcHandle, numBlocks, hostArgs, argsSize, stream));
}

/* How long each argument is, is not told. */
aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                        void **args)
{
    ENTER();
    (void)numBlocks, (void)stream, (void)cfg;
    REQUIRE(func && args, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}
