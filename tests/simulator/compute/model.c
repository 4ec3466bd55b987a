/* Loaded models: their table, and the common part of loading both kinds of files. */
#include "model.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "acl/error_codes/ge_error_codes.h"
#include "onnx.h"

enum { MODELS = 256, MODULE_MODEL = 45 };

static pthread_mutex_t models_lock = PTHREAD_MUTEX_INITIALIZER;
static struct model *models[MODELS]; /* id - 1 is the index */

void *modelFile(const char *path, size_t *length)
{
    FILE *file = path == NULL ? NULL : fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    struct stat kind;
    if (fstat(fileno(file), &kind) != 0 || S_ISDIR(kind.st_mode)) {
        fclose(file);
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

static void freeModel(struct model *model)
{
    if (model->owns_work) {
        (void)rtFree(model->work);
    }
    if (model->owns_weights) {
        (void)rtFree(model->weights);
    }
    graphFree(model->graph);
    offlineFree(model->offline);
    omFree(&model->arena);
    free(model);
}

void modelRelease(struct model *model)
{
    pthread_mutex_lock(&models_lock);
    bool last = --model->holders == 0;
    pthread_mutex_unlock(&models_lock);
    if (last) {
        freeModel(model);
    }
}

aclError modelBlock(void **address, uint64_t needed, bool *owns)
{
    *address = NULL;
    aclError status = rtMalloc(address, needed, ACL_MEM_MALLOC_HUGE_FIRST, MODULE_MODEL);
    *owns = status == ACL_SUCCESS;
    return status;
}

static aclError block(void **address, size_t size, size_t needed, bool *owns)
{
    if (*address != NULL) {
        return size < needed ? (aclError)ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID : ACL_SUCCESS;
    }
    return modelBlock(address, needed, owns);
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

/* Of a file that is neither: an ONNX model that cannot be run here, or what the graph engine says of bytes without its
 * magic. */
static aclError refusal(const void *bytes, size_t length)
{
    if (omIsModel(bytes, length) || !onnxIsModel(bytes, length)) {
        return length < 256 ? ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID : ACL_ERROR_GE_PARAM_INVALID;
    }
    return ACL_ERROR_GE_LOAD_MODEL;
}

static void describe(struct model *model, struct om_end *end, const struct value *value)
{
    const struct shape *shape = &value->view.shape;
    int64_t *dims = omTake(&model->arena, TENSOR_DIMS, sizeof *dims);
    if (dims != NULL) {
        memcpy(dims, shape->dims, sizeof(int64_t) * (size_t)shape->rank);
        end->dims = end->dims_v2 = (struct om_dims){(size_t)shape->rank, dims};
    }
    end->name = omText(&model->arena, value->name, strlen(value->name));
    end->size = end->padded = tensorBytes(value->view.type, shape);
    end->format = ACL_FORMAT_ND;
    end->type = value->view.type;
}

static aclError graphLoad(struct model *model, const struct model_source *source)
{
    struct graph *graph = graphRead(source->bytes, source->length);
    struct om_signature *signature = &model->signature;
    if (graph == NULL) {
        return refusal(source->bytes, source->length);
    }
    model->graph = graph;
    signature->inputs = (size_t)graph->inputs;
    signature->outputs = (size_t)graph->outputs;
    signature->input = omTake(&model->arena, signature->inputs, sizeof *signature->input);
    signature->output = omTake(&model->arena, signature->outputs, sizeof *signature->output);
    if (signature->input == NULL || signature->output == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    for (size_t i = 0; i < signature->inputs; i++) {
        describe(model, &signature->input[i], graphInput(graph, i));
    }
    for (size_t i = 0; i < signature->outputs; i++) {
        describe(model, &signature->output[i], graphOutput(graph, i));
    }
    model->work = source->work;
    model->weights = source->weights;
    aclError status = block(&model->work, source->work_size, graph->work_bytes, &model->owns_work);
    if (status == ACL_SUCCESS) {
        status = block(&model->weights, source->weight_size, graph->weight_bytes, &model->owns_weights);
    }
    void *window = status == ACL_SUCCESS ? deviceWindow(model->weights, graph->weight_bytes) : NULL;
    if (window != NULL) {
        graphWriteWeights(graph, window);
    }
    return status != ACL_SUCCESS ? status : window == NULL ? (aclError)ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID : ACL_SUCCESS;
}

aclError modelLoad(const struct model_source *source, uint32_t *id)
{
    if (source->bytes == NULL || source->length == 0 || id == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    struct model *model = calloc(1, sizeof *model);
    if (model == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    model->holders = 1;
    model->is_bundled = source->is_bundled;
    aclError status = omIsModel(source->bytes, source->length) ? offlineLoad(model, source) : graphLoad(model, source);
    if (status == ACL_SUCCESS) {
        status = enter(model, id);
    }
    if (status != ACL_SUCCESS) {
        freeModel(model);
    }
    return status;
}

aclError modelLoadFile(struct model_source source, uint32_t *id)
{
    if (source.path == NULL || id == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    void *bytes = modelFile(source.path, &source.length);
    if (bytes == NULL) {
        return ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID;
    }
    source.bytes = bytes;
    aclError status = source.length == 0 ? (aclError)ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID : modelLoad(&source, id);
    free(bytes);
    return status;
}

aclError modelUnload(uint32_t id, bool is_bundled)
{
    struct model *model = NULL;
    aclError status = ACL_ERROR_GE_EXEC_MODEL_ID_INVALID;
    pthread_mutex_lock(&models_lock);
    if (id >= 1 && id <= MODELS && models[id - 1] != NULL) {
        status = models[id - 1]->is_bundled == is_bundled ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
    }
    if (status == ACL_SUCCESS) {
        model = models[id - 1];
        models[id - 1] = NULL;
    }
    pthread_mutex_unlock(&models_lock);
    if (model != NULL) {
        modelRelease(model);
    }
    return status;
}

aclError modelSizes(const void *bytes, size_t length, size_t *work, size_t *weights)
{
    if (omIsModel(bytes, length)) {
        struct om_arena arena = {0};
        uint64_t needed_work, needed_weights;
        aclError status = (aclError)omSizes(&arena, bytes, length, &needed_work, &needed_weights);
        omFree(&arena);
        if (status == ACL_SUCCESS) {
            *work = needed_work;
            *weights = needed_weights;
        }
        return status;
    }
    struct graph *graph = graphRead(bytes, length);
    if (graph == NULL) {
        return onnxIsModel(bytes, length) ? ACL_ERROR_GE_LOAD_MODEL : ACL_ERROR_GE_PARAM_INVALID;
    }
    *work = graph->work_bytes;
    *weights = graph->weight_bytes;
    graphFree(graph);
    return ACL_SUCCESS;
}
