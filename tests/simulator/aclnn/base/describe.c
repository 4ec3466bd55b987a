/* Queries about a tensor. */
#include <stdlib.h>
#include <string.h>

#include "../entry.h"
#include "../objects.h"

static aclnnStatus list(const int64_t *values, int count, int64_t **copy, uint64_t *number)
{
    *number = (uint64_t)count;
    *copy = calloc((size_t)count + 1, sizeof **copy);
    if (*copy == NULL) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    memcpy(*copy, values, sizeof *values * (size_t)count);
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)
{
    ENTER();
    REQUIRE(tensor != NULL && viewDims != NULL && viewDimsNum != NULL, ACLNN_ERR_PARAM_NULLPTR);
    ANSWER(list(tensor->dims, tensor->rank, viewDims, viewDimsNum));
}

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum)
{
    ENTER();
    REQUIRE(tensor != NULL && storageDims != NULL && storageDimsNum != NULL, ACLNN_ERR_PARAM_NULLPTR);
    ANSWER(list(tensor->storage_dims, tensor->storage_rank, storageDims, storageDimsNum));
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)
{
    ENTER();
    REQUIRE(tensor != NULL && stridesValue != NULL && stridesNum != NULL, ACLNN_ERR_PARAM_NULLPTR);
    ANSWER(list(tensor->strides, tensor->rank, stridesValue, stridesNum));
}

aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)
{
    ENTER();
    REQUIRE(tensor != NULL && offset != NULL, ACLNN_ERR_PARAM_NULLPTR);
    *offset = tensor->offset;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)
{
    ENTER();
    REQUIRE(tensor != NULL && format != NULL, ACLNN_ERR_PARAM_NULLPTR);
    *format = tensor->format;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType)
{
    ENTER();
    REQUIRE(tensor != NULL && dataType != NULL, ACLNN_ERR_PARAM_NULLPTR);
    *dataType = tensor->type;
    return ACLNN_SUCCESS;
}
