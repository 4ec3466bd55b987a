/* aclmdlQuerySize, aclmdlLoad…, aclmdlUnload. */
#include <stdlib.h>

#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"
#include "model.h"

aclError aclmdlQuerySize(const char *fileName, size_t *workSize, size_t *weightSize)
{
    ENTER();
    size_t length = 0;
    REQUIRE(fileName != NULL && workSize != NULL && weightSize != NULL, ACL_ERROR_INVALID_PARAM);
    void *bytes = modelFile(fileName, &length);
    REQUIRE(bytes != NULL, (aclError)ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID);
    aclError status = modelSizes(bytes, length, workSize, weightSize);
    free(bytes);
    ANSWER(status);
}

aclError aclmdlQuerySizeFromMem(const void *model, size_t modelSize, size_t *workSize, size_t *weightSize)
{
    ENTER();
    REQUIRE(model != NULL && workSize != NULL && weightSize != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(modelSizes(model, modelSize, workSize, weightSize));
}

aclError aclmdlLoadFromFile(const char *modelPath, uint32_t *modelId)
{
    ENTER();
    ANSWER(modelLoadFile((struct model_source){.path = modelPath}, modelId));
}

aclError aclmdlLoadFromMem(const void *model, size_t modelSize, uint32_t *modelId)
{
    ENTER();
    ANSWER(modelLoad(&(struct model_source){.bytes = model, .length = modelSize}, modelId));
}

aclError aclmdlLoadFromFileWithMem(const char *modelPath, uint32_t *modelId, void *workPtr, size_t workSize,
                                   void *weightPtr, size_t weightSize)
{
    ENTER();
    ANSWER(modelLoadFile((struct model_source){.path = modelPath, .work = workPtr, .work_size = workSize,
                                               .weights = weightPtr, .weight_size = weightSize},
                         modelId));
}

aclError aclmdlLoadFromMemWithMem(const void *model, size_t modelSize, uint32_t *modelId, void *workPtr,
                                  size_t workSize, void *weightPtr, size_t weightSize)
{
    ENTER();
    ANSWER(modelLoad(&(struct model_source){.bytes = model, .length = modelSize, .work = workPtr,
                                            .work_size = workSize, .weights = weightPtr, .weight_size = weightSize},
                     modelId));
}

/* Queues on the device are not modeled. */
static aclError withQueues(bool is_given, const uint32_t *inputs, size_t input_count, const uint32_t *outputs,
                           size_t output_count)
{
    return is_given && inputs != NULL && input_count > 0 && outputs != NULL && output_count > 0
               ? (aclError)ACL_ERROR_RT_FEATURE_NOT_SUPPORT
               : ACL_ERROR_INVALID_PARAM;
}

aclError aclmdlLoadFromFileWithQ(const char *modelPath, uint32_t *modelId, const uint32_t *inputQ, size_t inputQNum,
                                 const uint32_t *outputQ, size_t outputQNum)
{
    ENTER();
    ANSWER(withQueues(modelPath != NULL && modelId != NULL, inputQ, inputQNum, outputQ, outputQNum));
}

aclError aclmdlLoadFromMemWithQ(const void *model, size_t modelSize, uint32_t *modelId, const uint32_t *inputQ,
                                size_t inputQNum, const uint32_t *outputQ, size_t outputQNum)
{
    ENTER();
    ANSWER(withQueues(model != NULL && modelSize > 0 && modelId != NULL, inputQ, inputQNum, outputQ, outputQNum));
}

aclError aclmdlUnload(uint32_t modelId)
{
    ENTER();
    ANSWER(modelUnload(modelId, false));
}
