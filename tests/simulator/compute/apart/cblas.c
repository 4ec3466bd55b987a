/* libacl_cblas.so: matrix products, as the operator GEMM. */
#include "../entry.h"
#include "../operator.h"

static aclTensorDesc matrix(aclDataType type, aclTransType flip, int rows, int columns)
{
    return (aclTensorDesc){
        .type = type,
        .format = ACL_FORMAT_ND,
        .shape = {2, {flip == ACL_TRANS_T ? columns : rows, flip == ACL_TRANS_T ? rows : columns}},
    };
}

static bool isPlain(aclTransType flip)
{
    return flip == ACL_TRANS_N || flip == ACL_TRANS_T;
}

aclError aclblasGemmEx(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                       const void *alpha, const void *matrixA, int lda, aclDataType dataTypeA, const void *matrixB,
                       int ldb, aclDataType dataTypeB, const void *beta, void *matrixC, int ldc, aclDataType dataTypeC,
                       aclComputeType type, aclrtStream stream)
{
    ENTER();
    REQUIRE(m > 0 && n > 0 && k > 0 && dataTypeA == dataTypeB, ACL_ERROR_INVALID_PARAM);
    REQUIRE(lda == -1 && ldb == -1 && ldc == -1 && type == ACL_COMPUTE_HIGH_PRECISION, ACL_ERROR_INVALID_PARAM);
    /* The fractal layouts are the device's own. */
    REQUIRE(isPlain(transA) && isPlain(transB) && transC == ACL_TRANS_N, ACL_ERROR_API_NOT_SUPPORT);

    aclTensorDesc descs[] = {
        matrix(dataTypeA, transA, m, k),      matrix(dataTypeB, transB, k, n),
        matrix(dataTypeC, ACL_TRANS_N, m, n), matrix(dataTypeC, ACL_TRANS_N, 1, 1),
        matrix(dataTypeC, ACL_TRANS_N, 1, 1),
    };
    const void *addresses[] = {matrixA, matrixB, matrixC, alpha, beta};
    const aclTensorDesc *inputs[5];
    const aclDataBuffer *buffers[5];
    for (int i = 0; i < 5; i++) {
        inputs[i] = &descs[i];
        buffers[i] = aclCreateDataBuffer((void *)addresses[i], aclGetTensorDescSize(&descs[i]));
    }
    aclopAttr *attributes = aclopCreateAttr();
    aclError status = ACL_ERROR_BAD_ALLOC;
    if (attributes != NULL) {
        (void)aclopSetAttrBool(attributes, "transpose_a", transA == ACL_TRANS_T);
        (void)aclopSetAttrBool(attributes, "transpose_b", transB == ACL_TRANS_T);
        aclDataBuffer *output = (aclDataBuffer *)buffers[2];
        status = aclsimOperatorSubmit("GEMM", 5, inputs, buffers, 1, &inputs[2], &output, attributes, stream);
    }
    aclopDestroyAttr(attributes);
    for (int i = 0; i < 5; i++) {
        (void)aclDestroyDataBuffer(buffers[i]);
    }
    ANSWER(status);
}
