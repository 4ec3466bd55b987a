/* aclmdlQuerySize, aclmdlLoad*, aclmdlUnload. */
#include "model.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"
#include "operator.h"

enum { MODELS = 256, MODULE_MODEL = 45 };

static pthread_mutex_t models_lock = PTHREAD_MUTEX_INITIALIZER;
static struct model *models[MODELS]; /* id - 1 is the index */

void *modelFile(const char *path, size_t *length)
{
    FILE *file = path == NULL ? NULL : fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    char *bytes = NULL;
    size_t room = 0;
    *length = 0;
    do {
        room = room * 2 + 65536;
        char *more = realloc(bytes, room);
        if (more == NULL) {
            break;
        }
        bytes = more;
        *length += fread(bytes + *length, 1, room - *length, file);
    } while (*length == room);
    fclose(file);
    return bytes;
}

struct model *modelHold(uint32_t id)
{
    struct model *model = NULL;
    pthread_mutex_lock(&models_lock);
    if (id >= 1 && id <= MODELS && (model = models[id - 1]) != NULL) {
        model->holders++;
    }
    pthread_mutex_unlock(&models_lock);
    return model;
}

void modelRelease(struct model *model)
{
    pthread_mutex_lock(&models_lock);
    bool last = --model->holders == 0;
    pthread_mutex_unlock(&models_lock);
    if (!last) {
        return;
    }
    if (model->owns_work) {
        (void)rtFree(model->work);
    }
    if (model->owns_weights) {
        (void)rtFree(model->weights);
    }
    graphFree(model->graph);
    free(model);
}

static aclError block(void **address, size_t size, size_t needed, bool *owns)
{
    if (*address != NULL) {
        return size < needed ? (aclError)ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID : ACL_SUCCESS;
    }
    aclError status = rtMalloc(address, needed, ACL_MEM_MALLOC_HUGE_FIRST, MODULE_MODEL);
    *owns = status == ACL_SUCCESS;
    return status;
}

static aclError enter(struct model *model, uint32_t *id)
{
    aclError status = ACL_ERROR_GE_LOAD_MODEL;
    pthread_mutex_lock(&models_lock);
    for (uint32_t i = 0; i < MODELS && status != ACL_SUCCESS; i++) {
        if (models[i] == NULL) {
            models[i] = model;
            *id = i + 1;
            status = ACL_SUCCESS;
        }
    }
    pthread_mutex_unlock(&models_lock);
    return status;
}

aclError modelLoad(const void *bytes, size_t length, uint32_t *id, void *work, size_t work_size, void *weights,
                   size_t weight_size)
{
    if (bytes == NULL || length == 0 || id == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    struct model *model = calloc(1, sizeof *model);
    if (model == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    *model = (struct model){.graph = graphRead(bytes, length), .work = work, .weights = weights, .holders = 1};
    aclError status = model->graph == NULL ? (aclError)ACL_ERROR_GE_LOAD_MODEL : ACL_SUCCESS;
    if (status == ACL_SUCCESS) {
        status = block(&model->work, work_size, model->graph->work_bytes, &model->owns_work);
    }
    if (status == ACL_SUCCESS) {
        status = block(&model->weights, weight_size, model->graph->weight_bytes, &model->owns_weights);
    }
    if (status == ACL_SUCCESS) {
        void *window = deviceWindow(model->weights, model->graph->weight_bytes);
        if (window == NULL) {
            status = ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID;
        } else {
            graphWriteWeights(model->graph, window);
        }
    }
    if (status == ACL_SUCCESS) {
        status = enter(model, id);
    }
    if (status != ACL_SUCCESS) {
        modelRelease(model);
    }
    return status;
}

aclError modelLoadFile(const char *path, uint32_t *id, void *work, size_t work_size, void *weights, size_t weight_size)
{
    size_t length = 0;
    void *bytes = modelFile(path, &length);
    if (bytes == NULL) {
        return ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID;
    }
    aclError status = modelLoad(bytes, length, id, work, work_size, weights, weight_size);
    free(bytes);
    return status;
}

static aclError sizes(const void *bytes, size_t length, size_t *work, size_t *weights)
{
    struct graph *graph = bytes == NULL ? NULL : graphRead(bytes, length);
    if (graph == NULL) {
        return ACL_ERROR_GE_LOAD_MODEL;
    }
    *work = graph->work_bytes;
    *weights = graph->weight_bytes;
    graphFree(graph);
    return ACL_SUCCESS;
}

aclError aclmdlQuerySize(const char *fileName, size_t *workSize, size_t *weightSize)
{
    ENTER();
    size_t length = 0;
    REQUIRE(fileName != NULL && workSize != NULL && weightSize != NULL, ACL_ERROR_INVALID_PARAM);
    void *bytes = modelFile(fileName, &length);
    REQUIRE(bytes != NULL, (aclError)ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID);
    aclError status = sizes(bytes, length, workSize, weightSize);
    free(bytes);
    ANSWER(status);
}

aclError aclmdlQuerySizeFromMem(const void *model, size_t modelSize, size_t *workSize, size_t *weightSize)
{
    ENTER();
    REQUIRE(model != NULL && workSize != NULL && weightSize != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(sizes(model, modelSize, workSize, weightSize));
}

aclError aclmdlLoadFromFile(const char *modelPath, uint32_t *modelId)
{
    ENTER();
    ANSWER(modelLoadFile(modelPath, modelId, NULL, 0, NULL, 0));
}

aclError aclmdlLoadFromMem(const void *model, size_t modelSize, uint32_t *modelId)
{
    ENTER();
    ANSWER(modelLoad(model, modelSize, modelId, NULL, 0, NULL, 0));
}

aclError aclmdlLoadFromFileWithMem(const char *modelPath, uint32_t *modelId, void *workPtr, size_t workSize,
                                   void *weightPtr, size_t weightSize)
{
    ENTER();
    ANSWER(modelLoadFile(modelPath, modelId, workPtr, workSize, weightPtr, weightSize));
}

aclError aclmdlLoadFromMemWithMem(const void *model, size_t modelSize, uint32_t *modelId, void *workPtr,
                                  size_t workSize, void *weightPtr, size_t weightSize)
{
    ENTER();
    ANSWER(modelLoad(model, modelSize, modelId, workPtr, workSize, weightPtr, weightSize));
}

aclError aclmdlUnload(uint32_t modelId)
{
    ENTER();
    struct model *model = NULL;
    pthread_mutex_lock(&models_lock);
    if (modelId >= 1 && modelId <= MODELS) {
        model = models[modelId - 1];
        models[modelId - 1] = NULL;
    }
    pthread_mutex_unlock(&models_lock);
    REQUIRE(model != NULL, (aclError)ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
    modelRelease(model);
    ANSWER(ACL_SUCCESS);
}
