/* Gears: the shapes that a model was compiled for, and the one of the next execution. */
#include <stdlib.h>
#include <string.h>

#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"
#include "model_dataset.h"
#include "model_desc.h"

/* If a model does not state the kind of its gears, their length decides: one number is a batch, two are an image size. */
static int32_t kindOf(const struct om_gears *gears)
{
    if (gears->count == 0) {
        return OM_GEARS_NONE;
    }
    return gears->kind == OM_GEARS_DIMS ? OM_GEARS_DIMS
           : gears->at[0].count == 1    ? OM_GEARS_BATCH
           : gears->at[0].count == 2    ? OM_GEARS_IMAGE
                                        : OM_GEARS_NONE;
}

static size_t countOf(const aclmdlDesc *desc, int32_t kind)
{
    return kindOf(&desc->signature.gears) == kind ? desc->signature.gears.count : 0;
}

aclError aclmdlGetDynamicBatch(const aclmdlDesc *modelDesc, aclmdlBatch *batch)
{
    ENTER();
    REQUIRE(modelDesc != NULL && batch != NULL, ACL_ERROR_INVALID_PARAM);
    size_t count = countOf(modelDesc, OM_GEARS_BATCH);
    REQUIRE(count <= ACL_MAX_BATCH_NUM, ACL_ERROR_STORAGE_OVER_LIMIT);
    batch->batchCount = count;
    for (size_t i = 0; i < count; i++) {
        batch->batch[i] = (uint64_t)modelDesc->signature.gears.at[i].at[0];
    }
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlGetDynamicHW(const aclmdlDesc *modelDesc, size_t index, aclmdlHW *hw)
{
    ENTER();
    (void)index;
    REQUIRE(modelDesc != NULL && hw != NULL, ACL_ERROR_INVALID_PARAM);
    size_t count = countOf(modelDesc, OM_GEARS_IMAGE);
    REQUIRE(count <= ACL_MAX_HW_NUM, ACL_ERROR_STORAGE_OVER_LIMIT);
    hw->hwCount = count;
    for (size_t i = 0; i < count; i++) {
        const struct om_dims *gear = &modelDesc->signature.gears.at[i];
        hw->hw[i][0] = gear->count > 0 ? (uint64_t)gear->at[0] : 0;
        hw->hw[i][1] = gear->count > 1 ? (uint64_t)gear->at[1] : 0;
    }
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlGetInputDynamicGearCount(const aclmdlDesc *modelDesc, size_t index, size_t *gearCount)
{
    ENTER();
    REQUIRE(modelDesc != NULL && gearCount != NULL && index == SIZE_MAX, ACL_ERROR_INVALID_PARAM);
    size_t count = countOf(modelDesc, OM_GEARS_DIMS);
    REQUIRE(count <= ACL_MAX_DIM_CNT, ACL_ERROR_STORAGE_OVER_LIMIT);
    *gearCount = count;
    ANSWER(ACL_SUCCESS);
}

/* The dims of the named inputs, one after the other. */
static bool joined(const struct om_signature *signature, int64_t *dims, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < signature->gears.order.count; i++) {
        for (size_t k = 0; k < signature->inputs; k++) {
            const struct om_end *end = &signature->input[k];
            if (strcmp(signature->gears.order.at[i], end->name) != 0) {
                continue;
            }
            if (end->dims.count > ACL_MAX_DIM_CNT - *count) {
                return false;
            }
            memcpy(dims + *count, end->dims.at, end->dims.count * sizeof *dims);
            *count += end->dims.count;
        }
    }
    return true;
}

aclError aclmdlGetInputDynamicDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims, size_t gearCount)
{
    ENTER();
    int64_t open[ACL_MAX_DIM_CNT];
    size_t length;
    REQUIRE(modelDesc != NULL && dims != NULL && index == SIZE_MAX, ACL_ERROR_INVALID_PARAM);
    const struct om_signature *signature = &modelDesc->signature;
    size_t count = countOf(modelDesc, OM_GEARS_DIMS);
    REQUIRE(gearCount >= count, ACL_ERROR_INVALID_PARAM);
    REQUIRE(joined(signature, open, &length), ACL_ERROR_FAILURE);
    for (size_t i = 0; i < count; i++) {
        const struct om_dims *gear = &signature->gears.at[i];
        size_t next = 0;
        for (size_t k = 0; k < length; k++) {
            REQUIRE(open[k] >= 0 || next < gear->count, ACL_ERROR_INVALID_PARAM);
            dims[i].dims[k] = open[k] < 0 ? gear->at[next++] : open[k];
        }
        dims[i].dimCount = length;
    }
    ANSWER(ACL_SUCCESS);
}

/* Remembers the gear and writes its numbers where the model reads them, 64-bit ones if there is room. */
static aclError set(uint32_t id, const aclDataBuffer *buffer, const int64_t *numbers, size_t count, int32_t kind)
{
    char *address = aclGetDataBufferAddr(buffer);
    size_t size = aclGetDataBufferSizeV2(buffer), width = size >= 8 * count ? 8 : 4;
    if (address == NULL) {
        return ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID;
    }
    struct model *model = modelHold(id);
    if (model == NULL) {
        return ACL_ERROR_GE_EXEC_MODEL_ID_INVALID;
    }
    const struct om_gears *gears = &model->signature.gears;
    bool is_gear = false;
    for (size_t i = 0; i < gears->count && !is_gear; i++) {
        is_gear = gears->at[i].count == count && memcmp(gears->at[i].at, numbers, count * sizeof *numbers) == 0;
    }
    aclError status = ACL_SUCCESS;
    if (kind != OM_GEARS_DIMS && size < 4 * count) {
        status = ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID;
    } else if (model->offline == NULL || !is_gear) {
        status = ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID;
    } else {
        model->offline->kind = kind;
        model->offline->numbers = count;
        memcpy(model->offline->number, numbers, count * sizeof *numbers);
        status = size < 4 * count ? (aclError)ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID : ACL_SUCCESS;
    }
    for (size_t i = 0; i < count && status == ACL_SUCCESS; i++) {
        status = rtMemcpy(address + width * i, size - width * i, &numbers[i], width, ACL_MEMCPY_HOST_TO_DEVICE);
    }
    modelRelease(model);
    return status;
}


aclError aclmdlSetDynamicBatchSize(uint32_t modelId, aclmdlDataset *dataset, size_t index, uint64_t batchSize)
{
    ENTER();
    const aclDataBuffer *buffer = aclmdlGetDatasetBuffer(dataset, index);
    REQUIRE(buffer != NULL && batchSize != 0, ACL_ERROR_INVALID_PARAM);
    ANSWER(set(modelId, buffer, (int64_t[]){(int64_t)batchSize}, 1, OM_GEARS_BATCH));
}

aclError aclmdlSetDynamicHWSize(uint32_t modelId, aclmdlDataset *dataset, size_t index, uint64_t height, uint64_t width)
{
    ENTER();
    const aclDataBuffer *buffer = aclmdlGetDatasetBuffer(dataset, index);
    REQUIRE(buffer != NULL && height != 0 && width != 0, ACL_ERROR_INVALID_PARAM);
    ANSWER(set(modelId, buffer, (int64_t[]){(int64_t)height, (int64_t)width}, 2, OM_GEARS_IMAGE));
}

/* The numbers of the open dimensions, if the rest is as the model has it. */
static aclError openOnes(uint32_t id, const aclmdlIODims *dims, int64_t *numbers, size_t *count)
{
    int64_t known[ACL_MAX_DIM_CNT];
    size_t length = 0;
    struct model *model = modelHold(id);
    if (model == NULL) {
        return ACL_ERROR_GE_EXEC_MODEL_ID_INVALID;
    }
    bool fits = joined(&model->signature, known, &length) && length == dims->dimCount;
    for (size_t i = 0; i < length && fits; i++) {
        if (known[i] < 0) {
            numbers[(*count)++] = dims->dims[i];
        }
        fits = known[i] < 0 || known[i] == dims->dims[i];
    }
    modelRelease(model);
    return fits ? ACL_SUCCESS : (aclError)ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID;
}

aclError aclmdlSetInputDynamicDims(uint32_t modelId, aclmdlDataset *dataset, size_t index, const aclmdlIODims *dims)
{
    ENTER();
    int64_t numbers[ACL_MAX_DIM_CNT];
    size_t count = 0;
    REQUIRE(dataset != NULL && dims != NULL && dims->dimCount != 0, ACL_ERROR_INVALID_PARAM);
    const aclDataBuffer *buffer = aclmdlGetDatasetBuffer(dataset, index);
    REQUIRE(buffer != NULL && dims->dimCount <= ACL_MAX_DIM_CNT, ACL_ERROR_INVALID_PARAM);
    aclError status = openOnes(modelId, dims, numbers, &count);
    REQUIRE(status == ACL_SUCCESS, status);
    ANSWER(set(modelId, buffer, numbers, count, OM_GEARS_DIMS));
}

static aclError currentDims(const aclmdlDesc *desc, size_t index, aclmdlIODims *dims)
{
    const struct om_signature *signature = &desc->signature;
    const struct offline *offline = desc->model == NULL ? NULL : desc->model->offline;
    const struct om_end *end = &signature->output[index];
    if (offline == NULL || offline->numbers == 0) {
        return descDims(desc, end, &end->dims, dims);
    }
    for (size_t gear = 0; gear < signature->gears.count; gear++) {
        const struct om_dims *numbers = &signature->gears.at[gear];
        if (numbers->count != offline->numbers ||
            memcmp(numbers->at, offline->number, numbers->count * sizeof *numbers->at) != 0) {
            continue;
        }
        for (size_t i = 0; i < signature->gears.shapes; i++) {
            const struct om_dims *shape = &signature->gears.shape[i];
            if (shape->count >= 2 && (shape->at[0] == (int64_t)gear || shape->at[0] == -1) &&
                shape->at[1] == (int64_t)index) {
                return descDims(desc, end, &(struct om_dims){shape->count - 2, shape->at + 2}, dims);
            }
        }
    }
    return ACL_ERROR_FAILURE;
}

aclError aclmdlGetCurOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    ENTER();
    REQUIRE(modelDesc != NULL && dims != NULL, ACL_ERROR_INVALID_PARAM);
    const struct offline *offline = modelDesc->model == NULL ? NULL : modelDesc->model->offline;
    REQUIRE(offline == NULL || !offline->is_dynamic, ACL_ERROR_API_NOT_SUPPORT);
    REQUIRE(index < modelDesc->signature.outputs, ACL_ERROR_INVALID_PARAM);
    REQUIRE(modelDesc->model != NULL, (aclError)ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
    ANSWER(currentDims(modelDesc, index, dims));
}
