/* The public functions of models and operators, by library, and what their definitions share. */
#ifndef SIMULATOR_COMPUTE_ENTRY_H
#define SIMULATOR_COMPUTE_ENTRY_H

#include "../public.h"
#include "acl/acl_op_compiler.h"
#include "acl/ops/acl_cblas.h"

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
    X(aclopCast)

#define MODEL_EXPORTS(X) \
    X(aclmdlQuerySize) \
    X(aclmdlQuerySizeFromMem) \
    X(aclmdlLoadFromFile) \
    X(aclmdlLoadFromMem) \
    X(aclmdlLoadFromFileWithMem) \
    X(aclmdlLoadFromMemWithMem) \
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
    X(aclmdlExecuteAsync)

/* libacl_op_compiler.so */
#define OPERATOR_COMPILER_EXPORTS(X) \
    X(aclopCompile) \
    X(aclopCompileAndExecute) \
    X(aclSetCompileopt)

/* libacl_cblas.so */
#define CBLAS_EXPORTS(X) \
    X(aclblasGemmEx)

#define COMPUTE_DECLARE(name) extern __typeof__(name) name __attribute__((visibility("default")));
TENSOR_EXPORTS(COMPUTE_DECLARE)
OPERATOR_EXPORTS(COMPUTE_DECLARE)
MODEL_EXPORTS(COMPUTE_DECLARE)
OPERATOR_COMPILER_EXPORTS(COMPUTE_DECLARE)
CBLAS_EXPORTS(COMPUTE_DECLARE)

#endif
