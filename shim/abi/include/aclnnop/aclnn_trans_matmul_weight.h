/* Weights of matrix products in the cores' own order. Both functions are about a tensor's storage: the simulator's cores take any order, so that
 * a weight stays as it is. */
#ifndef ACLSAN_ACLNN_TRANS_MATMUL_WEIGHT_H
#define ACLSAN_ACLNN_TRANS_MATMUL_WEIGHT_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In elements. */
aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray *tensorShape, uint64_t *weightTensorSize);
aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape, aclDataType dataType,
                                             uint64_t *weightTensorSize);

#ifdef __cplusplus
}
#endif

#endif
