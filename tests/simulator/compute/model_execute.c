/* Datasets, and running a model: on a stream, or at once while the caller waits. */
#include <stdlib.h>
#include <string.h>

#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"
#include "model.h"

enum { DATASET_BUFFERS = 64 };

struct aclmdlDataset {
    size_t count;
    aclDataBuffer *buffers[DATASET_BUFFERS];
    aclTensorDesc *descs[DATASET_BUFFERS]; /* copies */
};

struct execution {
    struct model *model;
    void *inputs[DATASET_BUFFERS], *outputs[DATASET_BUFFERS];
};

aclmdlDataset *aclmdlCreateDataset(void)
{
    return calloc(1, sizeof(aclmdlDataset));
}

aclError aclmdlDestroyDataset(const aclmdlDataset *dataset)
{
    ENTER();
    REQUIRE(dataset != NULL, ACL_ERROR_INVALID_PARAM);
    for (size_t i = 0; i < dataset->count; i++) {
        aclDestroyTensorDesc(dataset->descs[i]);
    }
    free((void *)dataset);
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlAddDatasetBuffer(aclmdlDataset *dataset, aclDataBuffer *dataBuffer)
{
    ENTER();
    REQUIRE(dataset != NULL && dataBuffer != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE(dataset->count < DATASET_BUFFERS, ACL_ERROR_STORAGE_OVER_LIMIT);
    dataset->buffers[dataset->count++] = dataBuffer;
    ANSWER(ACL_SUCCESS);
}

size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset *dataset)
{
    return dataset == NULL ? 0 : dataset->count;
}

aclDataBuffer *aclmdlGetDatasetBuffer(const aclmdlDataset *dataset, size_t index)
{
    return dataset == NULL || index >= dataset->count ? NULL : dataset->buffers[index];
}

aclError aclmdlSetDatasetTensorDesc(aclmdlDataset *dataset, aclTensorDesc *tensorDesc, size_t index)
{
    ENTER();
    REQUIRE(dataset != NULL && index < dataset->count, ACL_ERROR_INVALID_PARAM);
    aclTensorDesc *copy = NULL;
    if (tensorDesc != NULL) {
        copy = malloc(sizeof *copy);
        REQUIRE(copy != NULL, ACL_ERROR_BAD_ALLOC);
        *copy = *tensorDesc;
        copy->constant = NULL;
    }
    aclDestroyTensorDesc(dataset->descs[index]);
    dataset->descs[index] = copy;
    ANSWER(ACL_SUCCESS);
}

aclTensorDesc *aclmdlGetDatasetTensorDesc(const aclmdlDataset *dataset, size_t index)
{
    return dataset == NULL || index >= dataset->count ? NULL : dataset->descs[index];
}

/* The addresses of a dataset that gives the model as many buffers as it has ends, each large enough. */
static bool addresses(const aclmdlDataset *dataset, const struct graph *graph, int ends,
                      const struct value *(*end)(const struct graph *, size_t), void **list)
{
    if (dataset->count != (size_t)ends) {
        return false;
    }
    for (size_t i = 0; i < dataset->count; i++) {
        const struct view *view = &end(graph, i)->view;
        list[i] = aclGetDataBufferAddr(dataset->buffers[i]);
        if (list[i] == NULL || aclGetDataBufferSizeV2(dataset->buffers[i]) < tensorBytes(view->type, &view->shape)) {
            return false;
        }
    }
    return true;
}

static aclError run(void *argument)
{
    struct execution *execution = argument;
    struct model *model = execution->model;
    return graphRun(model->graph, model->work, model->weights, execution->inputs, execution->outputs);
}

static void drop(void *argument)
{
    struct execution *execution = argument;
    if (execution->model != NULL) {
        modelRelease(execution->model);
    }
    free(execution);
}

static aclError prepare(uint32_t id, const aclmdlDataset *input, const aclmdlDataset *output,
                        struct execution **prepared)
{
    if (input == NULL || output == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    struct execution *execution = calloc(1, sizeof *execution);
    if (execution == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    aclError status = ACL_SUCCESS;
    execution->model = modelHold(id);
    const struct graph *graph = execution->model == NULL ? NULL : execution->model->graph;
    if (graph == NULL) {
        status = ACL_ERROR_GE_EXEC_MODEL_ID_INVALID;
    } else if (!addresses(input, graph, graph->inputs, graphInput, execution->inputs)) {
        status = ACL_ERROR_MODEL_INPUT_NOT_MATCH;
    } else if (!addresses(output, graph, graph->outputs, graphOutput, execution->outputs)) {
        status = ACL_ERROR_MODEL_OUTPUT_NOT_MATCH;
    }
    if (status != ACL_SUCCESS) {
        drop(execution);
    } else {
        *prepared = execution;
    }
    return status;
}

/* The model runs on its own stream, so nothing orders it after work on the caller's streams. */
aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output)
{
    ENTER();
    struct execution *execution;
    aclError status = prepare(modelId, input, output, &execution);
    REQUIRE(status == ACL_SUCCESS, status);
    status = run(execution);
    drop(execution);
    ANSWER(status);
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output, aclrtStream stream)
{
    ENTER();
    struct execution *execution;
    aclError status = prepare(modelId, input, output, &execution);
    REQUIRE(status == ACL_SUCCESS, status);
    ANSWER(aclsimEnqueue(stream, run, drop, execution));
}

/* Waits too; the stream orders it. */
aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output, aclrtStream stream,
                         const aclmdlExecConfigHandle *handle)
{
    ENTER();
    (void)handle;
    struct execution *execution;
    aclError status = prepare(modelId, input, output, &execution);
    REQUIRE(status == ACL_SUCCESS, status);
    status = aclsimEnqueue(stream, run, drop, execution);
    REQUIRE(status == ACL_SUCCESS, status);
    ANSWER(aclrtSynchronizeStream(stream));
}

aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output, aclrtStream stream,
                              const aclmdlExecConfigHandle *handle)
{
    ENTER();
    (void)handle;
    struct execution *execution;
    aclError status = prepare(modelId, input, output, &execution);
    REQUIRE(status == ACL_SUCCESS, status);
    ANSWER(aclsimEnqueue(stream, run, drop, execution));
}
