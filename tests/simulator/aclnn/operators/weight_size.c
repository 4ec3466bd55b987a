/* How many elements a weight has in the cores' own order: its last two sizes are whole blocks of 16 rows and 32 bytes. */
#include "../entry.h"
#include "phase.h"

enum { BLOCK_ROWS = 16, BLOCK_BYTES = 32 };

static uint64_t blocks(int64_t size, uint64_t block)
{
    return ((uint64_t)size + block - 1) / block * block;
}

static aclnnStatus elements(const aclIntArray *shape, aclDataType type, uint64_t *count)
{
    if (shape == NULL || count == NULL || !aclsimIsObject(shape)) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    uint64_t bytes = type == ACL_INT8 ? 1 : 2;
    if (shape->count < 2 || shape->count > RANK || (type != ACL_FLOAT16 && type != ACL_BF16 && type != ACL_INT8)) {
        return ACLNN_ERR_PARAM_INVALID;
    }
    uint64_t product = 1;
    for (uint64_t i = 0; i < shape->count; i++) {
        int64_t size = shape->values[i];
        if (size < 0 || size > INT32_MAX) {
            return ACLNN_ERR_PARAM_INVALID;
        }
        uint64_t back = shape->count - i;
        uint64_t whole = back > 2 ? (uint64_t)size : blocks(size, back == 2 ? BLOCK_ROWS : BLOCK_BYTES / bytes);
        if (whole != 0 && product > UINT64_MAX / whole) {
            return ACLNN_ERR_PARAM_INVALID;
        }
        product *= whole;
    }
    *count = product;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray *tensorShape, uint64_t *weightTensorSize)
{
    ENTER();
    ANSWER(elements(tensorShape, ACL_FLOAT16, weightTensorSize));
}

aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape, aclDataType dataType,
                                             uint64_t *weightTensorSize)
{
    ENTER();
    ANSWER(elements(tensorShape, dataType, weightTensorSize));
}
