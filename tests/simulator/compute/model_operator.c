/* Questions about a loaded model's operators and its priority. */
#include <stdio.h>
#include <string.h>

#include "../om/read.h"
#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"
#include "model_desc.h"

enum { GRAPHS = 7, OPERATORS = 6, MODEL_ATTRIBUTES = 11 };

/* The operator of that name in any graph. */
static bool find(struct message definition, const struct om_dictionary *dictionary, const char *name,
                 struct om_operator *operator)
{
    struct field graph, field;
    while (messageNext(&definition, &graph)) {
        struct message operators = graph.number == GRAPHS ? graph.bytes : (struct message){0};
        while (messageNext(&operators, &field)) {
            struct message own = field.number == OPERATORS ? omSubmessage(field.bytes, 1) : (struct message){0};
            if (field.number == OPERATORS && omIs(&own, name)) {
                *operator = omOperator(field.bytes, dictionary);
                return true;
            }
        }
    }
    return false;
}

/* "[4]conv[4]relu": the names, each after its length; "" for an operator without them or one that is not there. */
const char *aclmdlGetOpAttr(aclmdlDesc *modelDesc, const char *opName, const char *attr)
{
    if (modelDesc == NULL || opName == NULL || attr == NULL || strcmp(attr, ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES) != 0 ||
        modelDesc->model == NULL || modelDesc->model->offline == NULL) {
        return NULL;
    }
    struct om_arena *arena = &modelDesc->arena;
    struct om_bytes bytes = modelDesc->model->offline->definition;
    struct message definition = messageOf(bytes.at, bytes.size);
    struct om_attributes own = {definition, MODEL_ATTRIBUTES, NULL};
    struct om_dictionary dictionary;
    struct om_operator operator;
    const struct message *names;
    size_t count, length = 1;
    if (!omDictionary(arena, &own, &dictionary) || !find(definition, &dictionary, opName, &operator) ||
        !omStrings(arena, &operator.attributes, attr, &count, &names)) {
        return "";
    }
    for (size_t i = 0; i < count; i++) {
        length += messageLength(&names[i]) + 24;
    }
    char *text = omTake(arena, length, 1), *at = text;
    for (size_t i = 0; text != NULL && i < count; i++) {
        at += sprintf(at, "[%zu]", messageLength(&names[i]));
        memcpy(at, names[i].at, messageLength(&names[i]));
        at += messageLength(&names[i]);
    }
    return text == NULL ? "" : text;
}

/* No task of a model is known by its number here: the whole model is one. */
aclError aclmdlCreateAndGetOpDesc(uint32_t deviceId, uint32_t streamId, uint32_t taskId, char *opName, size_t opNameLen,
                                  aclTensorDesc **inputDesc, size_t *numInputs, aclTensorDesc **outputDesc,
                                  size_t *numOutputs)
{
    ENTER();
    (void)deviceId, (void)streamId, (void)taskId, (void)opNameLen;
    REQUIRE(opName != NULL && inputDesc != NULL && numInputs != NULL && outputDesc != NULL && numOutputs != NULL,
            ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_GE_FAILURE);
}

aclError aclmdlSetAttribute(uint32_t modelId, aclmdlAttr attr, aclmdlAttrValue_t *attrValue)
{
    ENTER();
    int32_t least = 0, greatest = 0;
    REQUIRE(attrValue != NULL && attr == ACL_MDL_ATTR_PRIORITY_INT32, ACL_ERROR_INVALID_PARAM);
    aclError status = aclrtDeviceGetStreamPriorityRange(&least, &greatest);
    REQUIRE(status == ACL_SUCCESS, status);
    REQUIRE(attrValue->mdlPriority >= (uint32_t)greatest && attrValue->mdlPriority <= (uint32_t)least,
            ACL_ERROR_INVALID_PARAM);
    struct model *model = modelHold(modelId);
    REQUIRE(model != NULL, (aclError)ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
    model->priority = attrValue->mdlPriority;
    modelRelease(model);
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlGetAttribute(uint32_t modelId, aclmdlAttr attr, aclmdlAttrValue_t *attrValue)
{
    ENTER();
    REQUIRE(attrValue != NULL && attr == ACL_MDL_ATTR_PRIORITY_INT32, ACL_ERROR_INVALID_PARAM);
    struct model *model = modelHold(modelId);
    REQUIRE(model != NULL, (aclError)ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
    attrValue->mdlPriority = model->priority;
    modelRelease(model);
    ANSWER(ACL_SUCCESS);
}
