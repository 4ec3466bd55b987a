/* aclmdlDesc: what a loaded model takes and gives. */
#include <stdlib.h>
#include <string.h>

#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"
#include "model.h"

struct aclmdlDesc {
    struct model *model;
};

aclmdlDesc *aclmdlCreateDesc(void)
{
    return calloc(1, sizeof(aclmdlDesc));
}

aclError aclmdlDestroyDesc(aclmdlDesc *modelDesc)
{
    ENTER();
    REQUIRE(modelDesc != NULL, ACL_ERROR_INVALID_PARAM);
    if (modelDesc->model != NULL) {
        modelRelease(modelDesc->model);
    }
    free(modelDesc);
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlGetDesc(aclmdlDesc *modelDesc, uint32_t modelId)
{
    ENTER();
    REQUIRE(modelDesc != NULL, ACL_ERROR_INVALID_PARAM);
    struct model *model = modelHold(modelId);
    REQUIRE(model != NULL, (aclError)ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
    if (modelDesc->model != NULL) {
        modelRelease(modelDesc->model);
    }
    modelDesc->model = model;
    ANSWER(ACL_SUCCESS);
}

static const struct value *input(const aclmdlDesc *desc, size_t index)
{
    return desc == NULL || desc->model == NULL ? NULL : graphInput(desc->model->graph, index);
}

static const struct value *output(const aclmdlDesc *desc, size_t index)
{
    return desc == NULL || desc->model == NULL ? NULL : graphOutput(desc->model->graph, index);
}

static size_t bytesOf(const struct value *value)
{
    return value == NULL ? 0 : tensorBytes(value->view.type, &value->view.shape);
}

static aclError dimsOf(const struct value *value, aclmdlIODims *dims)
{
    if (value == NULL || dims == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    memset(dims, 0, sizeof *dims);
    memcpy(dims->name, value->name, strlen(value->name));
    dims->dimCount = (size_t)value->view.shape.rank;
    memcpy(dims->dims, value->view.shape.dims, sizeof(int64_t) * dims->dimCount);
    return ACL_SUCCESS;
}

typedef const struct value *(*ends)(const aclmdlDesc *desc, size_t index);

static aclError indexOf(const aclmdlDesc *desc, ends end, const char *name, size_t *index)
{
    if (name == NULL || index == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    for (*index = 0; end(desc, *index) != NULL; ++*index) {
        if (strcmp(end(desc, *index)->name, name) == 0) {
            return ACL_SUCCESS;
        }
    }
    return ACL_ERROR_INVALID_PARAM;
}

size_t aclmdlGetNumInputs(aclmdlDesc *modelDesc)
{
    return modelDesc == NULL || modelDesc->model == NULL ? 0 : (size_t)modelDesc->model->graph->inputs;
}

size_t aclmdlGetNumOutputs(aclmdlDesc *modelDesc)
{
    return modelDesc == NULL || modelDesc->model == NULL ? 0 : (size_t)modelDesc->model->graph->outputs;
}

size_t aclmdlGetInputSizeByIndex(aclmdlDesc *modelDesc, size_t index)
{
    return bytesOf(input(modelDesc, index));
}

size_t aclmdlGetOutputSizeByIndex(aclmdlDesc *modelDesc, size_t index)
{
    return bytesOf(output(modelDesc, index));
}

aclError aclmdlGetInputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    ENTER();
    ANSWER(dimsOf(input(modelDesc, index), dims));
}

aclError aclmdlGetInputDimsV2(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    ENTER();
    ANSWER(dimsOf(input(modelDesc, index), dims));
}

aclError aclmdlGetOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    ENTER();
    ANSWER(dimsOf(output(modelDesc, index), dims));
}

aclError aclmdlGetCurOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    ENTER();
    ANSWER(dimsOf(output(modelDesc, index), dims));
}

const char *aclmdlGetInputNameByIndex(const aclmdlDesc *modelDesc, size_t index)
{
    const struct value *value = input(modelDesc, index);
    return value == NULL ? "" : value->name;
}

const char *aclmdlGetOutputNameByIndex(const aclmdlDesc *modelDesc, size_t index)
{
    const struct value *value = output(modelDesc, index);
    return value == NULL ? "" : value->name;
}

aclError aclmdlGetInputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t *index)
{
    ENTER();
    ANSWER(indexOf(modelDesc, input, name, index));
}

aclError aclmdlGetOutputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t *index)
{
    ENTER();
    ANSWER(indexOf(modelDesc, output, name, index));
}

aclFormat aclmdlGetInputFormat(const aclmdlDesc *modelDesc, size_t index)
{
    return input(modelDesc, index) == NULL ? ACL_FORMAT_UNDEFINED : ACL_FORMAT_ND;
}

aclFormat aclmdlGetOutputFormat(const aclmdlDesc *modelDesc, size_t index)
{
    return output(modelDesc, index) == NULL ? ACL_FORMAT_UNDEFINED : ACL_FORMAT_ND;
}

aclDataType aclmdlGetInputDataType(const aclmdlDesc *modelDesc, size_t index)
{
    const struct value *value = input(modelDesc, index);
    return value == NULL ? ACL_DT_UNDEFINED : value->view.type;
}

aclDataType aclmdlGetOutputDataType(const aclmdlDesc *modelDesc, size_t index)
{
    const struct value *value = output(modelDesc, index);
    return value == NULL ? ACL_DT_UNDEFINED : value->view.type;
}
