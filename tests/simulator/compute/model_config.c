/* aclmdlLoadWithConfig, and what it is told. */
#include <stdlib.h>
#include <string.h>

#include "entry.h"
#include "model.h"

enum { SETTINGS = ACL_MDL_WORKSPACE_SIZET + 1 };

struct aclmdlConfigHandle {
    union {
        size_t number;
        void *pointer;
    } settings[SETTINGS];
};

aclmdlConfigHandle *aclmdlCreateConfigHandle(void)
{
    return calloc(1, sizeof(aclmdlConfigHandle));
}

aclError aclmdlDestroyConfigHandle(aclmdlConfigHandle *handle)
{
    ENTER();
    REQUIRE(handle != NULL, ACL_ERROR_INVALID_PARAM);
    free(handle);
    return ACL_SUCCESS;
}

aclError aclmdlSetConfigOpt(aclmdlConfigHandle *handle, aclmdlConfigAttr attr, const void *attrValue, size_t valueSize)
{
    ENTER();
    REQUIRE(handle != NULL && attrValue != NULL && (unsigned)attr < SETTINGS, ACL_ERROR_INVALID_PARAM);
    size_t size = attr == ACL_MDL_PRIORITY_INT32 ? sizeof(int32_t) : sizeof *handle->settings;
    REQUIRE(valueSize == size, ACL_ERROR_INVALID_PARAM);
    memcpy(&handle->settings[attr], attrValue, size);
    return ACL_SUCCESS;
}

aclError aclmdlLoadWithConfig(const aclmdlConfigHandle *handle, uint32_t *modelId)
{
    ENTER();
    REQUIRE(handle != NULL && modelId != NULL, ACL_ERROR_INVALID_PARAM);
    size_t form = handle->settings[ACL_MDL_LOAD_TYPE_SIZET].number;
    bool is_given = form == ACL_MDL_LOAD_FROM_FILE_WITH_MEM || form == ACL_MDL_LOAD_FROM_MEM_WITH_MEM;
    void *work = is_given ? handle->settings[ACL_MDL_WORKSPACE_ADDR_PTR].pointer : NULL;
    void *weights = is_given ? handle->settings[ACL_MDL_WEIGHT_ADDR_PTR].pointer : NULL;
    size_t work_size = handle->settings[ACL_MDL_WORKSPACE_SIZET].number;
    size_t weight_size = handle->settings[ACL_MDL_WEIGHT_SIZET].number;
    switch (form) {
    case ACL_MDL_LOAD_FROM_FILE:
    case ACL_MDL_LOAD_FROM_FILE_WITH_MEM:
        ANSWER(modelLoadFile(handle->settings[ACL_MDL_PATH_PTR].pointer, modelId, work, work_size, weights,
                             weight_size));
    case ACL_MDL_LOAD_FROM_MEM:
    case ACL_MDL_LOAD_FROM_MEM_WITH_MEM:
        ANSWER(modelLoad(handle->settings[ACL_MDL_MEM_ADDR_PTR].pointer, handle->settings[ACL_MDL_MEM_SIZET].number,
                         modelId, work, work_size, weights, weight_size));
    default:
        ANSWER(ACL_ERROR_INVALID_PARAM);
    }
}
