/* aclmdlLoadWithConfig and its configuration. */
#include "model_config.h"

#include <stdlib.h>
#include <string.h>

#include "entry.h"

aclmdlConfigHandle *aclmdlCreateConfigHandle(void)
{
    return calloc(1, sizeof(aclmdlConfigHandle));
}

aclError aclmdlDestroyConfigHandle(aclmdlConfigHandle *handle)
{
    ENTER();
    REQUIRE(handle != NULL, ACL_ERROR_INVALID_PARAM);
    for (size_t i = 0; i < handle->external_count; i++) {
        free((void *)handle->externals[i].name);
    }
    free(handle->externals);
    free(handle->path);
    free(handle->weight_path);
    free(handle);
    return ACL_SUCCESS;
}

static aclError copyText(char **to, const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    free(*to);
    *to = copy;
    return ACL_SUCCESS;
}

/* Values that are checked as they are set; the rest is when it is used. */
static bool isAccepted(aclmdlConfigAttr attr, const void *value)
{
    int32_t number, least, greatest;
    size_t size;
    void *pointer;
    memcpy(&number, value, sizeof number);
    switch (attr) {
    case ACL_MDL_PRIORITY_INT32:
        return aclrtDeviceGetStreamPriorityRange(&least, &greatest) == ACL_SUCCESS && number >= greatest &&
               number <= least;
    case ACL_MDL_WITHOUT_GRAPH_INT32: return number == 0 || number == 1;
    case ACL_MDL_LOAD_TYPE_SIZET:
        memcpy(&size, value, sizeof size);
        return size >= ACL_MDL_LOAD_FROM_FILE && size <= ACL_MDL_LOAD_FROM_MEM_WITH_Q;
    case ACL_MDL_WORKSPACE_MEM_OPTIMIZE: memcpy(&size, value, sizeof size); return size <= 1;
    case ACL_MDL_PATH_PTR:
    case ACL_MDL_MEM_ADDR_PTR:
    case ACL_MDL_INPUTQ_ADDR_PTR:
    case ACL_MDL_OUTPUTQ_ADDR_PTR:
    case ACL_MDL_WEIGHT_PATH_PTR: memcpy(&pointer, value, sizeof pointer); return pointer != NULL;
    default: return true;
    }
}

aclError aclmdlSetConfigOpt(aclmdlConfigHandle *handle, aclmdlConfigAttr attr, const void *attrValue, size_t valueSize)
{
    ENTER();
    bool is_known = (unsigned)attr <= ACL_MDL_WEIGHT_PATH_PTR || attr == ACL_MDL_WITHOUT_GRAPH_INT32;
    REQUIRE(handle != NULL && attrValue != NULL && is_known, ACL_ERROR_INVALID_PARAM);
    bool is_short = attr == ACL_MDL_PRIORITY_INT32 || attr == ACL_MDL_WITHOUT_GRAPH_INT32;
    REQUIRE(valueSize == (is_short ? sizeof(int32_t) : sizeof(size_t)), ACL_ERROR_INVALID_PARAM);
    REQUIRE(isAccepted(attr, attrValue), ACL_ERROR_INVALID_PARAM);
    memcpy(&handle->settings[attr], attrValue, valueSize);
    handle->set |= 1u << attr;
    if (attr == ACL_MDL_PATH_PTR || attr == ACL_MDL_WEIGHT_PATH_PTR) {
        ANSWER(copyText(attr == ACL_MDL_PATH_PTR ? &handle->path : &handle->weight_path,
                        handle->settings[attr].pointer));
    }
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetExternalWeightAddress(aclmdlConfigHandle *handle, const char *weightFileName, void *devPtr, size_t size)
{
    ENTER();
    REQUIRE(handle != NULL && weightFileName != NULL && devPtr != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE(size != 0 && size % 32 == 0, ACL_ERROR_INVALID_PARAM);
    struct external_weight *more = realloc(handle->externals, (handle->external_count + 1) * sizeof *more);
    REQUIRE(more != NULL, ACL_ERROR_BAD_ALLOC);
    handle->externals = more;
    char *name = strdup(weightFileName);
    REQUIRE(name != NULL, ACL_ERROR_BAD_ALLOC);
    more[handle->external_count++] = (struct external_weight){name, devPtr, size};
    ANSWER(ACL_SUCCESS);
}

static bool isSet(const aclmdlConfigHandle *handle, aclmdlConfigAttr attr)
{
    return (handle->set & 1u << attr) != 0;
}

struct model_source configSource(const aclmdlConfigHandle *handle)
{
    return (struct model_source){
        .path = handle->path,
        .weight_path = handle->weight_path,
        .spares_zero_copy = handle->settings[ACL_MDL_WORKSPACE_MEM_OPTIMIZE].number == 1,
        .work = handle->settings[ACL_MDL_WORKSPACE_ADDR_PTR].pointer,
        .weights = handle->settings[ACL_MDL_WEIGHT_ADDR_PTR].pointer,
        .work_size = handle->settings[ACL_MDL_WORKSPACE_SIZET].number,
        .weight_size = handle->settings[ACL_MDL_WEIGHT_SIZET].number,
        .externals = handle->externals,
        .external_count = handle->external_count,
    };
}

aclError aclmdlLoadWithConfig(const aclmdlConfigHandle *handle, uint32_t *modelId)
{
    ENTER();
    REQUIRE(handle != NULL && modelId != NULL && isSet(handle, ACL_MDL_LOAD_TYPE_SIZET), ACL_ERROR_INVALID_PARAM);
    size_t form = handle->settings[ACL_MDL_LOAD_TYPE_SIZET].number;
    bool is_file = form == ACL_MDL_LOAD_FROM_FILE || form == ACL_MDL_LOAD_FROM_FILE_WITH_MEM ||
                   form == ACL_MDL_LOAD_FROM_FILE_WITH_Q;
    bool is_given = form == ACL_MDL_LOAD_FROM_FILE_WITH_MEM || form == ACL_MDL_LOAD_FROM_MEM_WITH_MEM;
    REQUIRE(is_file ? isSet(handle, ACL_MDL_PATH_PTR) && !isSet(handle, ACL_MDL_WEIGHT_PATH_PTR)
                    : isSet(handle, ACL_MDL_MEM_ADDR_PTR) && isSet(handle, ACL_MDL_MEM_SIZET),
            ACL_ERROR_INVALID_PARAM);
    if (form >= ACL_MDL_LOAD_FROM_FILE_WITH_Q) {
        bool has_queues = isSet(handle, ACL_MDL_INPUTQ_ADDR_PTR) && isSet(handle, ACL_MDL_INPUTQ_NUM_SIZET) &&
                          isSet(handle, ACL_MDL_OUTPUTQ_ADDR_PTR) && isSet(handle, ACL_MDL_OUTPUTQ_NUM_SIZET);
        ANSWER(has_queues ? (aclError)ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_INVALID_PARAM);
    }
    struct model_source source = configSource(handle);
    if (!is_given) {
        source.work = source.weights = NULL;
    }
    if (is_file) {
        ANSWER(modelLoadFile(source, modelId));
    }
    if (!is_given) { /* then the model's source is unknown */
        source.path = NULL;
    }
    source.bytes = handle->settings[ACL_MDL_MEM_ADDR_PTR].pointer;
    source.length = handle->settings[ACL_MDL_MEM_SIZET].number;
    ANSWER(modelLoad(&source, modelId));
}
