/* Questions about one input or output of a description. */
#include <string.h>

#include "entry.h"
#include "model_desc.h"

static const struct om_end *input(const aclmdlDesc *desc, size_t index)
{
    return desc == NULL || index >= desc->signature.inputs ? NULL : &desc->signature.input[index];
}

static const struct om_end *output(const aclmdlDesc *desc, size_t index)
{
    return desc == NULL || index >= desc->signature.outputs ? NULL : &desc->signature.output[index];
}

static aclError indexOf(const struct om_end *ends, size_t count, const char *name, size_t *index)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(ends[i].name, name) == 0) {
            *index = i;
            return ACL_SUCCESS;
        }
    }
    return ACL_ERROR_INVALID_PARAM;
}

size_t aclmdlGetNumInputs(aclmdlDesc *modelDesc)
{
    return modelDesc == NULL ? 0 : modelDesc->signature.inputs;
}

size_t aclmdlGetNumOutputs(aclmdlDesc *modelDesc)
{
    return modelDesc == NULL ? 0 : modelDesc->signature.outputs;
}

size_t aclmdlGetInputSizeByIndex(aclmdlDesc *modelDesc, size_t index)
{
    const struct om_end *end = input(modelDesc, index);
    return end == NULL ? 0 : end->size;
}

size_t aclmdlGetOutputSizeByIndex(aclmdlDesc *modelDesc, size_t index)
{
    const struct om_end *end = output(modelDesc, index);
    return end == NULL ? 0 : end->size;
}

aclError aclmdlGetInputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    ENTER();
    const struct om_end *end = input(modelDesc, index);
    REQUIRE(end != NULL && dims != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(descDims(modelDesc, end, &end->dims, dims));
}

aclError aclmdlGetInputDimsV2(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    ENTER();
    const struct om_end *end = input(modelDesc, index);
    REQUIRE(end != NULL && dims != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(descDims(modelDesc, end, &end->dims_v2, dims));
}

aclError aclmdlGetInputDimsRange(const aclmdlDesc *modelDesc, size_t index, aclmdlIODimsRange *dimsRange)
{
    ENTER();
    const struct om_end *end = input(modelDesc, index);
    REQUIRE(end != NULL && dimsRange != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE(end->ranges.count / 2 <= ACL_MAX_DIM_CNT, ACL_ERROR_STORAGE_OVER_LIMIT);
    dimsRange->rangeCount = end->ranges.count / 2;
    for (size_t i = 0; i < end->ranges.count; i++) {
        dimsRange->range[i / 2][i % 2] = end->ranges.at[i];
    }
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlGetOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    ENTER();
    const struct om_end *end = output(modelDesc, index);
    REQUIRE(end != NULL && dims != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(descDims(modelDesc, end, &end->dims, dims));
}

const char *aclmdlGetInputNameByIndex(const aclmdlDesc *modelDesc, size_t index)
{
    const struct om_end *end = input(modelDesc, index);
    return end == NULL ? "" : end->name;
}

const char *aclmdlGetOutputNameByIndex(const aclmdlDesc *modelDesc, size_t index)
{
    const struct om_end *end = output(modelDesc, index);
    return end == NULL ? "" : end->name;
}

aclError aclmdlGetInputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t *index)
{
    ENTER();
    REQUIRE(modelDesc != NULL && name != NULL && index != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(indexOf(modelDesc->signature.input, modelDesc->signature.inputs, name, index));
}

aclError aclmdlGetOutputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t *index)
{
    ENTER();
    REQUIRE(modelDesc != NULL && name != NULL && index != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(indexOf(modelDesc->signature.output, modelDesc->signature.outputs, name, index));
}

aclFormat aclmdlGetInputFormat(const aclmdlDesc *modelDesc, size_t index)
{
    const struct om_end *end = input(modelDesc, index);
    return end == NULL ? ACL_FORMAT_UNDEFINED : (aclFormat)end->format;
}

aclFormat aclmdlGetOutputFormat(const aclmdlDesc *modelDesc, size_t index)
{
    const struct om_end *end = output(modelDesc, index);
    return end == NULL ? ACL_FORMAT_UNDEFINED : (aclFormat)end->format;
}

aclDataType aclmdlGetInputDataType(const aclmdlDesc *modelDesc, size_t index)
{
    const struct om_end *end = input(modelDesc, index);
    return end == NULL ? ACL_DT_UNDEFINED : (aclDataType)end->type;
}

aclDataType aclmdlGetOutputDataType(const aclmdlDesc *modelDesc, size_t index)
{
    const struct om_end *end = output(modelDesc, index);
    return end == NULL ? ACL_DT_UNDEFINED : (aclDataType)end->type;
}
