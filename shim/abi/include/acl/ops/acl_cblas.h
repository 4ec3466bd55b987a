/* Matrix products (libacl_cblas.so). */
#ifndef ACLSAN_ACL_CBLAS_H
#define ACLSAN_ACL_CBLAS_H

#include "../acl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum aclTransType {
    ACL_TRANS_N = 0,
    ACL_TRANS_T = 1,
    ACL_TRANS_NZ = 2,
    ACL_TRANS_NZ_T = 3,
} aclTransType;

typedef enum aclComputeType {
    ACL_COMPUTE_HIGH_PRECISION = 0,
    ACL_COMPUTE_LOW_PRECISION = 1,
} aclComputeType;

/* C = alpha * op(A) * op(B) + beta * C; alpha and beta are device addresses too. A leading dimension of -1 means packed. */
aclError aclblasGemmEx(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                       const void *alpha, const void *matrixA, int lda, aclDataType dataTypeA, const void *matrixB,
                       int ldb, aclDataType dataTypeB, const void *beta, void *matrixC, int ldc,
                       aclDataType dataTypeC, aclComputeType type, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
