/* The public functions of the operator interface, by library. */
#ifndef SIMULATOR_ACLNN_EXPORTS_H
#define SIMULATOR_ACLNN_EXPORTS_H

/* libnnopbase.so */
#define META_EXPORTS(X) \
    X(aclCreateTensor) \
    X(aclCreateTensorList) \
    X(aclCreateScalar) \
    X(aclCreateIntArray) \
    X(aclCreateFloatArray) \
    X(aclCreateBoolArray) \
    X(aclDestroyTensor) \
    X(aclDestroyTensorList) \
    X(aclDestroyScalar) \
    X(aclCreateScalarList) \
    X(aclDestroyScalarList) \
    X(aclDestroyIntArray) \
    X(aclDestroyFloatArray) \
    X(aclDestroyBoolArray) \
    X(aclInitTensor) \
    X(aclSetRawTensorAddr) \
    X(aclGetRawTensorAddr) \
    X(aclGetViewShape) \
    X(aclGetStorageShape) \
    X(aclGetViewStrides) \
    X(aclGetViewOffset) \
    X(aclGetFormat) \
    X(aclGetDataType) \
    X(aclGetTensorListSize) \
    X(aclGetIntArraySize)

#define EXECUTOR_EXPORTS(X) \
    X(aclSetAclOpExecutorRepeatable) \
    X(aclDestroyAclOpExecutor) \
    X(aclSetInputTensorAddr) \
    X(aclSetOutputTensorAddr) \
    X(aclSetTensorAddr) \
    X(aclSetDynamicInputTensorAddr) \
    X(aclSetDynamicOutputTensorAddr) \
    X(aclSetDynamicTensorAddr) \
    X(AclSetInputTensorAddr) \
    X(AclSetOutputTensorAddr) \
    X(AclSetTensorAddr) \
    X(AclSetDynamicInputTensorAddr) \
    X(AclSetDynamicOutputTensorAddr) \
    X(AclSetDynamicTensorAddr) \
    X(_ZN14UniqueExecutorC1EPKc) \
    X(_ZNK13aclOpExecutor16GetWorkspaceSizeEv) \
    X(_ZN13aclOpExecutor8AddCacheEv) \
    X(_ZN2op8internal12GetFromCacheEPP13aclOpExecutorPm) \
    X(CanUsePTACache) \
    X(PTAGetExecCache) \
    X(PTAFindExecCache) \
    X(InitPTACacheThreadLocal) \
    X(UnInitPTACacheThreadLocal) \
    X(ResetCacheThreadLocal) \
    X(SetPTAHashKey) \
    X(SetPTACacheHashKey) \
    X(AddTensorAddrToCachedList) \
    X(InitHugeMemThreadLocal) \
    X(UnInitHugeMemThreadLocal) \
    X(ReleaseHugeMem) \
    X(_Z19CommonOpExecutorRunPvmP13aclOpExecutorS_) \
    X(NnopbaseRunForWorkspace) \
    X(NnopbaseMatchArgs) \
    X(NnopbaseRunWithWorkspace) \
    X(aclnnInit) \
    X(aclnnFinalize)

/* libopapi.so */
#define OPAPI_EXPORTS(X) \
    X(aclnnAddGetWorkspaceSize) \
    X(aclnnAdd) \
    X(aclnnInplaceAddGetWorkspaceSize) \
    X(aclnnInplaceAdd) \
    X(aclnnMulGetWorkspaceSize) \
    X(aclnnMul) \
    X(aclnnInplaceMulGetWorkspaceSize) \
    X(aclnnInplaceMul) \
    X(aclnnMatmulGetWorkspaceSize) \
    X(aclnnMatmul) \
    X(aclnnCastGetWorkspaceSize) \
    X(aclnnCast) \
    X(aclnnRmsNormGetWorkspaceSize) \
    X(aclnnRmsNorm) \
    X(aclnnGaussianBlurGetWorkspaceSize) \
    X(aclnnGaussianBlur) \
    X(aclnnCalculateMatmulWeightSize) \
    X(aclnnCalculateMatmulWeightSizeV2)

#define ACLNN_EXPORTS(X) \
    META_EXPORTS(X) \
    EXECUTOR_EXPORTS(X) \
    OPAPI_EXPORTS(X)

#endif
