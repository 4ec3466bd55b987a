/* aclmdlDesc: filled from a loaded model or from a file's own description. */
#include "model_desc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"
#include "onnx.h"

aclmdlDesc *aclmdlCreateDesc(void)
{
    return calloc(1, sizeof(aclmdlDesc));
}

void descClear(aclmdlDesc *desc)
{
    if (desc->model != NULL) {
        modelRelease(desc->model);
    }
    omFree(&desc->arena);
    *desc = (aclmdlDesc){0};
}

aclError aclmdlDestroyDesc(aclmdlDesc *modelDesc)
{
    ENTER();
    REQUIRE(modelDesc != NULL, ACL_ERROR_INVALID_PARAM);
    descClear(modelDesc);
    free(modelDesc);
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlGetDesc(aclmdlDesc *modelDesc, uint32_t modelId)
{
    ENTER();
    REQUIRE(modelDesc != NULL, ACL_ERROR_INVALID_PARAM);
    descClear(modelDesc);
    struct model *model = modelHold(modelId);
    REQUIRE(model != NULL, (aclError)ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
    modelDesc->id = modelId;
    modelDesc->model = model;
    modelDesc->signature = model->signature;
    ANSWER(ACL_SUCCESS);
}

/* An ONNX file has no such list; it is described as files are that have none. */
static aclError describe(aclmdlDesc *desc, const void *bytes, size_t length)
{
    descClear(desc);
    if (!omIsModel(bytes, length) && onnxIsModel(bytes, length)) {
        return ACL_SUCCESS;
    }
    aclError status = (aclError)omListed(&desc->arena, bytes, length, &desc->signature);
    if (status != ACL_SUCCESS) {
        descClear(desc);
    }
    return status;
}

aclError aclmdlGetDescFromFile(aclmdlDesc *modelDesc, const char *modelPath)
{
    ENTER();
    size_t length = 0;
    REQUIRE(modelDesc != NULL && modelPath != NULL, ACL_ERROR_INVALID_PARAM);
    void *bytes = modelFile(modelPath, &length);
    REQUIRE(bytes != NULL, (aclError)ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID);
    aclError status = describe(modelDesc, bytes, length);
    free(bytes);
    ANSWER(status);
}

aclError aclmdlGetDescFromMem(aclmdlDesc *modelDesc, const void *model, size_t modelSize)
{
    ENTER();
    REQUIRE(modelDesc != NULL && model != NULL && modelSize > 0, ACL_ERROR_INVALID_PARAM);
    ANSWER(describe(modelDesc, model, modelSize));
}

/* Whether an end of the model has that name. */
static const char *named(const aclmdlDesc *desc, const char *name)
{
    const struct om_signature *signature = &desc->signature;
    for (size_t i = 0; i < signature->inputs; i++) {
        if (strcmp(signature->input[i].name, name) == 0) {
            return signature->input[i].name;
        }
    }
    for (size_t i = 0; i < signature->outputs; i++) {
        if (strcmp(signature->output[i].name, name) == 0) {
            return signature->output[i].name;
        }
    }
    return NULL;
}

/* "acl_modelId_1_input_0" and the like, with a letter appended if an input or output has that name. */
static void shortName(const aclmdlDesc *desc, const struct om_end *end, char *name, size_t size)
{
    const struct om_signature *signature = &desc->signature;
    bool is_input = end >= signature->input && end < signature->input + signature->inputs;
    size_t index = (size_t)(end - (is_input ? signature->input : signature->output));
    int length = snprintf(name, size, "acl_modelId_%u_%s_%zu", desc->id, is_input ? "input" : "output", index);
    for (char letter = 'a'; named(desc, name) != NULL && letter <= 'z'; letter++) {
        snprintf(name + length, size - (size_t)length, "_%c", letter);
    }
}

aclError descDims(const aclmdlDesc *desc, const struct om_end *end, const struct om_dims *from, aclmdlIODims *dims)
{
    if (from->count > ACL_MAX_DIM_CNT) {
        return ACL_ERROR_STORAGE_OVER_LIMIT;
    }
    memset(dims, 0, sizeof *dims);
    size_t length = strlen(end->name);
    if (length < sizeof dims->name) {
        memcpy(dims->name, end->name, length);
    } else {
        shortName(desc, end, dims->name, sizeof dims->name);
    }
    dims->dimCount = from->count;
    for (size_t i = 0; i < from->count; i++) {
        dims->dims[i] = from->at[i];
    }
    return ACL_SUCCESS;
}

const char *aclmdlGetTensorRealName(const aclmdlDesc *modelDesc, const char *name)
{
    if (modelDesc == NULL || name == NULL) {
        return NULL;
    }
    const char *real = named(modelDesc, name);
    for (int side = 0; side < 2 && real == NULL; side++) {
        const struct om_end *ends = side == 0 ? modelDesc->signature.input : modelDesc->signature.output;
        for (size_t i = 0; i < (side == 0 ? modelDesc->signature.inputs : modelDesc->signature.outputs); i++) {
            char made[ACL_MAX_TENSOR_NAME_LEN];
            shortName(modelDesc, &ends[i], made, sizeof made);
            real = strcmp(made, name) == 0 ? ends[i].name : real;
        }
    }
    return real;
}
