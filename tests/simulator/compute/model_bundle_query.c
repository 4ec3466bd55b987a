/* Queries about the models in a bundle's file, without loading them. */
#include <stdlib.h>

#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"
#include "model.h"

struct aclmdlBundleQueryInfo {
    size_t variable_bytes, count;
    struct part {
        size_t work, weights;
    } *parts;
};

aclmdlBundleQueryInfo *aclmdlBundleCreateQueryInfo(void)
{
    return calloc(1, sizeof(aclmdlBundleQueryInfo));
}

aclError aclmdlBundleDestroyQueryInfo(aclmdlBundleQueryInfo *queryInfo)
{
    ENTER();
    REQUIRE(queryInfo != NULL, ACL_ERROR_INVALID_PARAM);
    free(queryInfo->parts);
    free(queryInfo);
    ANSWER(ACL_SUCCESS);
}

/* Sizes of the models whose shapes are fixed; others have 0. */
static aclError query(const void *bytes, size_t length, aclmdlBundleQueryInfo *info)
{
    struct om_arena arena = {0};
    struct om_bundle read;
    aclError status = (aclError)omBundle(&arena, bytes, length, &read);
    struct part *parts = status == ACL_SUCCESS ? calloc(read.count + 1, sizeof *parts) : NULL;
    status = status == ACL_SUCCESS && parts == NULL ? ACL_ERROR_BAD_ALLOC : status;
    for (size_t i = 0; status == ACL_SUCCESS && i < read.count; i++) {
        struct om_header header;
        if (read.model[i].size < 256) {
            status = ACL_ERROR_INVALID_PARAM;
        } else if (omHeader(read.model[i].at, read.model[i].size, &header), !header.is_dynamic) {
            status = modelSizes(read.model[i].at, read.model[i].size, &parts[i].work, &parts[i].weights);
        }
    }
    if (status == ACL_SUCCESS) {
        free(info->parts);
        *info = (aclmdlBundleQueryInfo){(size_t)read.variable_bytes, read.count, parts};
    } else {
        free(parts);
    }
    omFree(&arena);
    return status;
}

aclError aclmdlBundleQueryInfoFromFile(const char *fileName, aclmdlBundleQueryInfo *queryInfo)
{
    ENTER();
    size_t length = 0;
    REQUIRE(fileName != NULL && queryInfo != NULL, ACL_ERROR_INVALID_PARAM);
    void *bytes = modelFile(fileName, &length);
    REQUIRE(bytes != NULL, (aclError)ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID);
    aclError status = query(bytes, length, queryInfo);
    free(bytes);
    ANSWER(status);
}

aclError aclmdlBundleQueryInfoFromMem(const void *model, size_t modelSize, aclmdlBundleQueryInfo *queryInfo)
{
    ENTER();
    REQUIRE(model != NULL && queryInfo != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(query(model, modelSize, queryInfo));
}

aclError aclmdlBundleGetQueryModelNum(const aclmdlBundleQueryInfo *queryInfo, size_t *modelNum)
{
    ENTER();
    REQUIRE(queryInfo != NULL && modelNum != NULL, ACL_ERROR_INVALID_PARAM);
    *modelNum = queryInfo->count;
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlBundleGetVarWeightSize(const aclmdlBundleQueryInfo *queryInfo, size_t *variableWeightSize)
{
    ENTER();
    REQUIRE(queryInfo != NULL && variableWeightSize != NULL, ACL_ERROR_INVALID_PARAM);
    *variableWeightSize = queryInfo->variable_bytes;
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlBundleGetSize(const aclmdlBundleQueryInfo *queryInfo, size_t index, size_t *workSize,
                             size_t *constWeightSize)
{
    ENTER();
    REQUIRE(queryInfo != NULL && workSize != NULL && constWeightSize != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE(index < queryInfo->count, ACL_ERROR_INVALID_PARAM);
    *workSize = queryInfo->parts[index].work;
    *constWeightSize = queryInfo->parts[index].weights;
    ANSWER(ACL_SUCCESS);
}
