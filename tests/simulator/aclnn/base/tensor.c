/* aclTensor and aclTensorList. */
#include <string.h>

#include "../entry.h"
#include "../objects.h"
#include "living.h"

static aclnnStatus fill(aclTensor *tensor, const int64_t *dims, uint64_t rank, aclDataType type, const int64_t *strides,
                        int64_t offset, aclFormat format, const int64_t *storage_dims, uint64_t storage_rank,
                        void *data)
{
    bool is_short = (dims == NULL && rank > 0) || (storage_dims == NULL && storage_rank > 0);
    if (is_short || rank > RANK || storage_rank > RANK) {
        return ACLNN_ERR_PARAM_INVALID;
    }
    *tensor = (struct aclTensor){
        .type = type,
        .format = format,
        .rank = (int)rank,
        .storage_rank = (int)storage_rank,
        .offset = offset,
        .data = data,
    };
    int64_t dense = 1;
    for (int axis = (int)rank - 1; axis >= 0; axis--) {
        tensor->dims[axis] = dims[axis];
        tensor->strides[axis] = strides == NULL ? dense : strides[axis];
        dense = (int64_t)((uint64_t)dense * (uint64_t)dims[axis]); /* Sizes are the caller's: operators check them. */
    }
    for (uint64_t axis = 0; axis < storage_rank; axis++) {
        tensor->storage_dims[axis] = storage_dims[axis];
    }
    return ACLNN_SUCCESS;
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,
                           int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
                           void *tensorData)
{
    if (aclsimInjected(__func__) != ACL_SUCCESS) {
        return NULL;
    }
    aclTensor *tensor = objectNew(sizeof *tensor);
    if (tensor != NULL && fill(tensor, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                               storageDimsNum, tensorData) != ACLNN_SUCCESS) {
        objectEnd(tensor);
        return NULL;
    }
    return tensor;
}

aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims,
                          uint64_t storageDimsNum, void *tensorDataAddr)
{
    ENTER();
    REQUIRE(tensor != NULL, ACLNN_ERR_PARAM_NULLPTR);
    ANSWER(fill(tensor, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum,
                tensorDataAddr));
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    ENTER();
    objectEnd(tensor);
    return ACLNN_SUCCESS;
}

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
{
    if (aclsimInjected(__func__) != ACL_SUCCESS || (value == NULL && size > 0)) {
        return NULL;
    }
    aclTensorList *list = objectNew(sizeof *list + size * sizeof *value);
    if (list != NULL && size > 0) {
        list->count = size;
        memcpy(list->tensors, value, size * sizeof *value);
    }
    return list;
}

aclnnStatus aclDestroyTensorList(const aclTensorList *array)
{
    ENTER();
    if (!aclsimHold(array)) {
        return ACLNN_SUCCESS;
    }
    for (uint64_t i = 0; i < array->count; i++) {
        objectEnd(array->tensors[i]);
    }
    objectEnd(array);
    aclsimLetGo();
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size)
{
    ENTER();
    REQUIRE(tensorList != NULL && size != NULL, ACLNN_ERR_PARAM_NULLPTR);
    *size = tensorList->count;
    return ACLNN_SUCCESS;
}

aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr)
{
    ENTER();
    REQUIRE(tensor != NULL, ACLNN_ERR_PARAM_NULLPTR);
    tensor->data = addr;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr)
{
    ENTER();
    REQUIRE(tensor != NULL && addr != NULL, ACLNN_ERR_PARAM_NULLPTR);
    *addr = tensor->data;
    return ACLNN_SUCCESS;
}
