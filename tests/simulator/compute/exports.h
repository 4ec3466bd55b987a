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
    X(aclmdlCreateConfigHandle) \
    X(aclmdlDestroyConfigHandle) \
    X(aclmdlSetConfigOpt) \
    X(aclmdlLoadWithConfig) \
    X(aclmdlUnload) \
    X(aclmdlCreateDesc) \
    X(aclmdlDestroyDesc) \
    X(aclmdlGetDesc) \
    X(aclmdlGetNumInputs) \
    X(aclmdlGetNumOutputs) \
    X(aclmdlGetInputSizeByIndex) \
    X(aclmdlGetOutputSizeByIndex) \
    X(aclmdlGetInputDims) \
    X(aclmdlGetInputDimsV2) \
    X(aclmdlGetOutputDims) \
    X(aclmdlGetCurOutputDims) \
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
    X(aclmdlExecute) \
    X(aclmdlExecuteV2) \
    X(aclmdlExecuteAsync) \
    X(aclmdlExecuteAsyncV2)

/* libacl_op_compiler.so */
#define OPERATOR_COMPILER_EXPORTS(X) \
    X(aclopCompile) \
    X(aclopCompileAndExecute) \
    X(aclSetCompileopt)

/* libacl_cblas.so */
#define CBLAS_EXPORTS(X) \
    X(aclblasGemmEx)

#define COMPUTE_EXPORTS(X) \
    TENSOR_EXPORTS(X) \
    OPERATOR_EXPORTS(X) \
    MODEL_EXPORTS(X) \
    OPERATOR_COMPILER_EXPORTS(X) \
    CBLAS_EXPORTS(X)

#endif
