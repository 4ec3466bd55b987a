/* Launches: the checks of the acl layer. */
#include "../public.h"

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize,
                           aclrtStream stream)
{
    ENTER();
    REQUIRE(funcHandle && argsData, ACL_ERROR_INVALID_PARAM);
    REQUIRE(numBlocks, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsLaunchKernelWithPlaces(funcHandle, numBlocks, argsData, (uint32_t)argsSize, NULL, 0, stream));
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize,
                             aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
    ENTER();
    REQUIRE(funcHandle && argsData, ACL_ERROR_INVALID_PARAM);
    REQUIRE(numBlocks && (!cfg || cfg->attrs), ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsLaunchKernelWithPlaces(funcHandle, numBlocks, argsData, (uint32_t)argsSize, NULL, 0, stream));
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve)
{
    ENTER();
    REQUIRE(funcHandle && numBlocks && argsHandle && !reserve, ACL_ERROR_INVALID_PARAM);
    REQUIRE(!cfg || cfg->attrs, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsLaunchKernelWithArgs(funcHandle, numBlocks, argsHandle, stream));
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum)
{
    ENTER();
    REQUIRE(funcHandle && hostArgs, ACL_ERROR_INVALID_PARAM);
    REQUIRE(numBlocks && argsSize && (!cfg || cfg->attrs), ACL_ERROR_RT_PARAM_INVALID);
    REQUIRE(!placeHolderArray == !placeHolderNum, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsLaunchKernelWithPlaces(funcHandle, numBlocks, hostArgs, (uint32_t)argsSize, placeHolderArray,
                                     placeHolderNum, stream));
}

/* Only the chip's binary has the length of each argument. */
aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                        void **args)
{
    ENTER();
    (void)stream, (void)cfg, (void)args;
    REQUIRE(func && numBlocks, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}
