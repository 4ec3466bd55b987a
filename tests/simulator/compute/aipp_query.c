/* AIPP of a loaded model: what kind an input has, its parameters, and setting those of a dynamic one. */
#include <stdlib.h>
#include <string.h>

#include "acl/error_codes/ge_error_codes.h"
#include "aipp_data.h"
#include "entry.h"
#include "model.h"

/* Holds the model if it has such an input. */
static aclError holdInput(uint32_t id, size_t index, struct model **model)
{
    *model = modelHold(id);
    if (*model == NULL) {
        return ACL_ERROR_GE_EXEC_MODEL_ID_INVALID;
    }
    if (index >= (*model)->signature.inputs) {
        modelRelease(*model);
        return ACL_ERROR_INVALID_PARAM;
    }
    return ACL_SUCCESS;
}

static aclmdlInputAippType typeOf(const struct model *model, size_t index, size_t *attached)
{
    const struct om_aipp *aipp = model->signature.input[index].aipp;
    bool has_mode = aipp != NULL && aipp->has_mode;
    *attached = has_mode && aipp->attached >= 0 ? (size_t)aipp->attached : ACL_INVALID_NODE_INDEX;
    return has_mode ? (aclmdlInputAippType)aipp->mode : ACL_DATA_WITHOUT_AIPP;
}

aclError aclmdlGetAippType(uint32_t modelId, size_t index, aclmdlInputAippType *type, size_t *dynamicAttachedDataIndex)
{
    ENTER();
    struct model *model;
    REQUIRE(type != NULL && dynamicAttachedDataIndex != NULL, ACL_ERROR_INVALID_PARAM);
    aclError status = holdInput(modelId, index, &model);
    REQUIRE(status == ACL_SUCCESS, status);
    *type = typeOf(model, index, dynamicAttachedDataIndex);
    modelRelease(model);
    ANSWER(ACL_SUCCESS);
}

static void copyParameters(const struct om_aipp *aipp, aclAippInfo *info)
{
    const int64_t *number = aipp->integers;
    info->inputFormat = (aclAippInputFormat)*number++;
    info->srcImageSizeW = (int32_t)*number++;
    info->srcImageSizeH = (int32_t)*number++;
    info->cropSwitch = (int8_t)*number++;
    info->loadStartPosW = (int32_t)*number++;
    info->loadStartPosH = (int32_t)*number++;
    info->cropSizeW = (int32_t)*number++;
    info->cropSizeH = (int32_t)*number++;
    info->resizeSwitch = (int8_t)*number++;
    info->resizeOutputW = (int32_t)*number++;
    info->resizeOutputH = (int32_t)*number++;
    info->paddingSwitch = (int8_t)*number++;
    info->leftPaddingSize = (int32_t)*number++;
    info->rightPaddingSize = (int32_t)*number++;
    info->topPaddingSize = (int32_t)*number++;
    info->bottomPaddingSize = (int32_t)*number++;
    info->cscSwitch = (int8_t)*number++;
    info->rbuvSwapSwitch = (int8_t)*number++;
    info->axSwapSwitch = (int8_t)*number++;
    info->singleLineMode = (int8_t)*number++;
    int32_t *const matrix_and_biases[] = {
        &info->matrixR0C0, &info->matrixR0C1, &info->matrixR0C2, &info->matrixR1C0, &info->matrixR1C1,
        &info->matrixR1C2, &info->matrixR2C0, &info->matrixR2C1, &info->matrixR2C2, &info->outputBias0,
        &info->outputBias1, &info->outputBias2, &info->inputBias0, &info->inputBias1, &info->inputBias2,
        &info->meanChn0, &info->meanChn1, &info->meanChn2, &info->meanChn3,
    };
    for (size_t i = 0; i < sizeof matrix_and_biases / sizeof *matrix_and_biases; i++) {
        *matrix_and_biases[i] = (int32_t)*number++;
    }
    float *const reals[] = {&info->minChn0, &info->minChn1, &info->minChn2, &info->minChn3,
                            &info->varReciChn0, &info->varReciChn1, &info->varReciChn2, &info->varReciChn3};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        *reals[i] = aipp->reals[i];
    }
}

static aclError copyDims(const struct om_aipp_dims *from, aclmdlIODims *dims, size_t *size)
{
    if (from->dims.count > ACL_MAX_DIM_CNT) {
        return ACL_ERROR_GE_FAILURE;
    }
    size_t length = strlen(from->name);
    if (length >= sizeof dims->name) {
        return ACL_ERROR_FAILURE;
    }
    memcpy(dims->name, from->name, length + 1);
    dims->dimCount = from->dims.count;
    for (size_t i = 0; i < from->dims.count; i++) {
        dims->dims[i] = from->dims.at[i];
    }
    *size = from->size;
    return ACL_SUCCESS;
}

static aclError copyInfo(const struct model *model, size_t index, aclAippInfo *info)
{
    const struct om_aipp *aipp = model->signature.input[index].aipp;
    if (aipp == NULL || !aipp->has_info) {
        return ACL_ERROR_GE_AIPP_NOT_EXIST;
    }
    copyParameters(aipp, info);
    bool has_gears = model->offline != NULL && !model->offline->is_dynamic && model->signature.gears.count > 0;
    info->shapeCount = has_gears ? model->signature.gears.count : 1;
    if (!aipp->has_dims) {
        return ACL_ERROR_GE_AIPP_NOT_EXIST;
    }
    info->srcFormat = (aclFormat)aipp->source_format;
    info->srcDatatype = (aclDataType)aipp->source_type;
    info->srcDimNum = aipp->source_rank;
    if (info->shapeCount > ACL_MAX_SHAPE_COUNT || info->shapeCount != aipp->sources || aipp->sources != aipp->results) {
        return ACL_ERROR_GE_FAILURE;
    }
    aclError status = ACL_SUCCESS;
    for (size_t i = 0; i < info->shapeCount && status == ACL_SUCCESS; i++) {
        status = copyDims(&aipp->source[i], &info->outDims[i].srcDims, &info->outDims[i].srcSize);
        if (status == ACL_SUCCESS) {
            status = copyDims(&aipp->result[i], &info->outDims[i].aippOutdims, &info->outDims[i].aippOutSize);
        }
    }
    return status;
}

aclError aclmdlGetFirstAippInfo(uint32_t modelId, size_t index, aclAippInfo *aippInfo)
{
    ENTER();
    struct model *model;
    REQUIRE(aippInfo != NULL, ACL_ERROR_INVALID_PARAM);
    aclError status = holdInput(modelId, index, &model);
    REQUIRE(status == ACL_SUCCESS, status);
    status = copyInfo(model, index, aippInfo);
    modelRelease(model);
    ANSWER(status);
}

/* The input with the parameters: one of that kind, or one of its name in a file from before kinds. */
static bool isParameterInput(const struct model *model, size_t index)
{
    size_t attached;
    aclmdlInputAippType type = typeOf(model, index, &attached);
    return type == ACL_DYNAMIC_AIPP_NODE || (type == ACL_DATA_WITHOUT_AIPP &&
                                             strcmp(model->signature.input[index].name, ACL_DYNAMIC_AIPP_NAME) == 0);
}

static aclError write(const aclDataBuffer *buffer, const aclmdlAIPP *set)
{
    char *address = aclGetDataBufferAddr(buffer);
    size_t room = aclGetDataBufferSizeV2(buffer), needed = AIPP_DATA_BYTES + set->batches * AIPP_IMAGE_BYTES;
    if (address == NULL) {
        return ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID;
    }
    if (room < needed) {
        return ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID;
    }
    aclError status = rtMemcpy(address, room, &set->data, AIPP_DATA_BYTES, ACL_MEMCPY_HOST_TO_DEVICE);
    if (status == ACL_SUCCESS) {
        status = rtMemcpy(address + AIPP_DATA_BYTES, room - AIPP_DATA_BYTES, set->image, needed - AIPP_DATA_BYTES,
                          ACL_MEMCPY_HOST_TO_DEVICE);
    }
    return status;
}

static aclError setAt(struct model *model, const aclmdlDataset *dataset, size_t index, const aclmdlAIPP *set)
{
    const aclDataBuffer *buffer = aclmdlGetDatasetBuffer(dataset, index);
    if (!isParameterInput(model, index)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    aclError status = aippCheck(&model->signature, index, set);
    if (status != ACL_SUCCESS) {
        return status;
    }
    return buffer == NULL ? ACL_ERROR_INVALID_PARAM : write(buffer, set);
}

aclError aclmdlSetInputAIPP(uint32_t modelId, aclmdlDataset *dataset, size_t index, const aclmdlAIPP *aippParmsSet)
{
    ENTER();
    struct model *model;
    REQUIRE(dataset != NULL && aippParmsSet != NULL, ACL_ERROR_INVALID_PARAM);
    aclError status = holdInput(modelId, index, &model);
    REQUIRE(status == ACL_SUCCESS, status);
    status = setAt(model, dataset, index, aippParmsSet);
    modelRelease(model);
    ANSWER(status);
}

aclError aclmdlSetAIPPByInputIndex(uint32_t modelId, aclmdlDataset *dataset, size_t index,
                                   const aclmdlAIPP *aippParmsSet)
{
    ENTER();
    struct model *model;
    size_t attached;
    REQUIRE(dataset != NULL && aippParmsSet != NULL && index < aclmdlGetDatasetNumBuffers(dataset),
            ACL_ERROR_INVALID_PARAM);
    aclError status = holdInput(modelId, index, &model);
    REQUIRE(status == ACL_SUCCESS, status);
    status = typeOf(model, index, &attached) != ACL_DATA_WITH_DYNAMIC_AIPP ? ACL_ERROR_FAILURE
             : attached >= model->signature.inputs                         ? ACL_ERROR_INVALID_PARAM
                                                   : setAt(model, dataset, attached, aippParmsSet);
    modelRelease(model);
    ANSWER(status);
}
