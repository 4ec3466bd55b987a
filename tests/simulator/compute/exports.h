/* The public functions of models and operators, by library. */
#ifndef SIMULATOR_COMPUTE_EXPORTS_H
#define SIMULATOR_COMPUTE_EXPORTS_H

/* libascendcl.so */
#define TENSOR_EXPORTS(X) \
    X(aclCreateTensorDesc) \
    X(aclDestroyTensorDesc) \
    X(aclGetTensorDescType) \
    X(aclGetTensorDescFormat) \
    X(aclGetTensorDescSize) \
    X(aclGetTensorDescElementCount) \
    X(aclGetTensorDescNumDims) \
    X(aclGetTensorDescDim) \
    X(aclGetTensorDescDimV2) \
    X(aclSetTensorDescName) \
    X(aclGetTensorDescName) \
    X(aclSetTensorFormat) \
    X(aclSetTensorShape) \
    X(aclSetTensorOriginFormat) \
    X(aclSetTensorOriginShape) \
    X(aclSetTensorConst) \
    X(aclSetTensorPlaceMent)

#define OPERATOR_EXPORTS(X) \
    X(aclopSetModelDir) \
    X(aclopCreateAttr) \
    X(aclopDestroyAttr) \
    X(aclopSetAttrBool) \
    X(aclopSetAttrInt) \
    X(aclopSetAttrFloat) \
    X(aclopSetAttrString) \
    X(aclopSetAttrListInt) \
    X(aclopSetAttrListFloat) \
    X(aclopSetAttrDataType) \
    X(aclopSetAttrListDataType) \
    X(aclopSetAttrListString) \
    X(aclopSetAttrListBool) \
    X(aclopSetAttrListListInt) \
    X(aclopExecute) \
    X(aclopExecuteV2) \
    X(aclopCreateHandle) \
    X(aclopDestroyHandle) \
    X(aclopExecWithHandle) \
    X(aclopCast)

#define MODEL_EXPORTS(X) \
    X(aclmdlQuerySize) \
    X(aclmdlQuerySizeFromMem) \
    X(aclmdlLoadFromFile) \
    X(aclmdlLoadFromMem) \
    X(aclmdlLoadFromFileWithMem) \
    X(aclmdlLoadFromMemWithMem) \
    X(aclmdlLoadFromFileWithQ) \
    X(aclmdlLoadFromMemWithQ) \
    X(aclmdlCreateConfigHandle) \
    X(aclmdlDestroyConfigHandle) \
    X(aclmdlSetConfigOpt) \
    X(aclmdlSetExternalWeightAddress) \
    X(aclmdlLoadWithConfig) \
    X(aclmdlUnload) \
    X(aclmdlSetAttribute) \
    X(aclmdlGetAttribute) \
    X(aclmdlGetOpAttr) \
    X(aclmdlCreateAndGetOpDesc) \
    X(aclmdlCreateDesc) \
    X(aclmdlDestroyDesc) \
    X(aclmdlGetDesc) \
    X(aclmdlGetDescFromFile) \
    X(aclmdlGetDescFromMem) \
    X(aclmdlGetNumInputs) \
    X(aclmdlGetNumOutputs) \
    X(aclmdlGetInputSizeByIndex) \
    X(aclmdlGetOutputSizeByIndex) \
    X(aclmdlGetInputDims) \
    X(aclmdlGetInputDimsV2) \
    X(aclmdlGetInputDimsRange) \
    X(aclmdlGetOutputDims) \
    X(aclmdlGetCurOutputDims) \
    X(aclmdlGetTensorRealName) \
    X(aclmdlGetInputNameByIndex) \
    X(aclmdlGetOutputNameByIndex) \
    X(aclmdlGetInputIndexByName) \
    X(aclmdlGetOutputIndexByName) \
    X(aclmdlGetInputFormat) \
    X(aclmdlGetOutputFormat) \
    X(aclmdlGetInputDataType) \
    X(aclmdlGetOutputDataType) \
    X(aclmdlCreateDataset) \
    X(aclmdlDestroyDataset) \
    X(aclmdlAddDatasetBuffer) \
    X(aclmdlGetDatasetNumBuffers) \
    X(aclmdlGetDatasetBuffer) \
    X(aclmdlSetDatasetTensorDesc) \
    X(aclmdlGetDatasetTensorDesc) \
    X(aclmdlCreateExecConfigHandle) \
    X(aclmdlDestroyExecConfigHandle) \
    X(aclmdlSetExecConfigOpt) \
    X(aclmdlExecute) \
    X(aclmdlExecuteAsync) \
    X(aclmdlExecuteV2) \
    X(aclmdlExecuteAsyncV2)

#define GEAR_EXPORTS(X) \
    X(aclmdlGetDynamicBatch) \
    X(aclmdlGetDynamicHW) \
    X(aclmdlGetInputDynamicGearCount) \
    X(aclmdlGetInputDynamicDims) \
    X(aclmdlSetDynamicBatchSize) \
    X(aclmdlSetDynamicHWSize) \
    X(aclmdlSetInputDynamicDims)

#define AIPP_EXPORTS(X) \
    X(aclmdlCreateAIPP) \
    X(aclmdlDestroyAIPP) \
    X(aclmdlGetAippDataSize) \
    X(aclmdlSetAIPPInputFormat) \
    X(aclmdlSetAIPPCscParams) \
    X(aclmdlSetAIPPRbuvSwapSwitch) \
    X(aclmdlSetAIPPAxSwapSwitch) \
    X(aclmdlSetAIPPSrcImageSize) \
    X(aclmdlSetAIPPScfParams) \
    X(aclmdlSetAIPPCropParams) \
    X(aclmdlSetAIPPPaddingParams) \
    X(aclmdlSetAIPPDtcPixelMean) \
    X(aclmdlSetAIPPDtcPixelMin) \
    X(aclmdlSetAIPPPixelVarReci) \
    X(aclmdlSetInputAIPP) \
    X(aclmdlSetAIPPByInputIndex) \
    X(aclmdlGetAippType) \
    X(aclmdlGetFirstAippInfo)

#define BUNDLE_EXPORTS(X) \
    X(aclmdlBundleLoadFromFile) \
    X(aclmdlBundleLoadFromMem) \
    X(aclmdlBundleUnload) \
    X(aclmdlBundleGetModelNum) \
    X(aclmdlBundleGetModelId) \
    X(aclmdlBundleInitFromFile) \
    X(aclmdlBundleInitFromMem) \
    X(aclmdlBundleLoadModel) \
    X(aclmdlBundleLoadModelWithMem) \
    X(aclmdlBundleLoadModelWithConfig) \
    X(aclmdlBundleUnloadModel) \
    X(aclmdlBundleCreateQueryInfo) \
    X(aclmdlBundleDestroyQueryInfo) \
    X(aclmdlBundleQueryInfoFromFile) \
    X(aclmdlBundleQueryInfoFromMem) \
    X(aclmdlBundleGetQueryModelNum) \
    X(aclmdlBundleGetVarWeightSize) \
    X(aclmdlBundleGetSize)

/* libacl_op_compiler.so */
#define OPERATOR_COMPILER_EXPORTS(X) \
    X(aclopCompile) \
    X(aclopCompileAndExecute) \
    X(aclopCompileAndExecuteV2) \
    X(aclopSetCompileFlag) \
    X(aclSetCompileopt)

/* libacl_cblas.so */
#define CBLAS_EXPORTS(X) \
    X(aclblasGemmEx)

#define COMPUTE_EXPORTS(X) \
    TENSOR_EXPORTS(X) \
    OPERATOR_EXPORTS(X) \
    MODEL_EXPORTS(X) \
    GEAR_EXPORTS(X) \
    AIPP_EXPORTS(X) \
    BUNDLE_EXPORTS(X) \
    OPERATOR_COMPILER_EXPORTS(X) \
    CBLAS_EXPORTS(X)

#endif
