/* Running a model: on a stream, or at once while the caller waits. */
#include "model_execute.h"

#include <stdlib.h>
#include <string.h>

#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"

static aclError run(void *argument)
{
    struct execution *execution = argument;
    struct model *model = execution->model;
    if (model->offline != NULL) {
        if (!model->offline->is_dynamic) {
            offlineTouched(model, execution->inputs, execution->outputs);
        }
        return offlineRun(model, execution->inputs, execution->outputs);
    }
    void *inputs[GRAPH_VALUES], *outputs[GRAPH_VALUES];
    for (size_t i = 0; i < model->signature.inputs; i++) {
        inputs[i] = execution->inputs[i].address;
    }
    for (size_t i = 0; i < model->signature.outputs; i++) {
        outputs[i] = execution->outputs[i].address;
    }
    return graphRun(model->graph, model->work, model->weights, inputs, outputs);
}

static void drop(void *argument)
{
    struct execution *execution = argument;
    if (execution->model != NULL) {
        modelRelease(execution->model);
    }
    free(execution->inputs);
    free(execution->outputs);
    free(execution);
}

static struct offline_buffer *buffersOf(const aclmdlDataset *dataset)
{
    struct offline_buffer *list = calloc(dataset->count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < dataset->count; i++) {
        list[i].address = aclGetDataBufferAddr(dataset->entries[i].buffer);
        list[i].size = aclGetDataBufferSizeV2(dataset->entries[i].buffer);
    }
    return list;
}

/* An ONNX model wants as many buffers as it has ends, each large enough. */
static bool isEnough(const struct offline_buffer *buffers, size_t count, const struct om_end *ends, size_t wanted)
{
    for (size_t i = 0; count == wanted && i < count; i++) {
        if (buffers[i].address == NULL || buffers[i].size < ends[i].size) {
            return false;
        }
    }
    return count == wanted;
}

/* An offline model lets a buffer be 64 bytes shorter than the padded size, which may be less than the true one; the chip
 * reads and writes the true size all the same. */
static bool isAccepted(const struct offline_buffer *buffers, size_t count, const struct om_end *ends)
{
    enum { TOLERATED = 64 };
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].size < UINT64_MAX - TOLERATED && buffers[i].size + TOLERATED < ends[i].padded) {
            return false;
        }
    }
    return true;
}

static aclError checkFixed(const struct execution *execution, const aclmdlDataset *input, const aclmdlDataset *output)
{
    const struct model *model = execution->model;
    const struct om_signature *signature = &model->signature;
    bool is_offline = model->offline != NULL;
    if (is_offline && (input->count != signature->inputs || output->count != signature->outputs)) {
        return ACL_ERROR_GE_FAILURE;
    }
    if (is_offline) {
        bool is_unchecked = signature->gears.count > 0 || model->offline->has_dynamic_aipp;
        return is_unchecked || (isAccepted(execution->inputs, input->count, signature->input) &&
                                isAccepted(execution->outputs, output->count, signature->output))
                   ? ACL_SUCCESS
                   : ACL_ERROR_GE_FAILURE;
    }
    if (!isEnough(execution->inputs, input->count, signature->input, signature->inputs)) {
        return ACL_ERROR_MODEL_INPUT_NOT_MATCH;
    }
    return isEnough(execution->outputs, output->count, signature->output, signature->outputs)
               ? ACL_SUCCESS
               : ACL_ERROR_MODEL_OUTPUT_NOT_MATCH;
}

/* An output without an address is allocated by a call that waits, and is the caller's from then on. */
static aclError provide(aclmdlDataset *output, struct execution *execution)
{
    for (size_t i = 0; i < output->count && i < execution->model->signature.outputs; i++) {
        struct offline_buffer *buffer = &execution->outputs[i];
        uint64_t size = execution->model->offline->is_dynamic ? buffer->touched
                                                              : execution->model->signature.output[i].size;
        if (buffer->address != NULL || size == 0) {
            continue;
        }
        aclError status = aclrtMalloc(&buffer->address, size, ACL_MEM_MALLOC_HUGE_FIRST);
        if (status != ACL_SUCCESS) {
            return status;
        }
        buffer->size = size;
        (void)aclUpdateDataBuffer(output->entries[i].buffer, buffer->address, size);
    }
    return ACL_SUCCESS;
}

static aclError prepare(uint32_t id, const aclmdlDataset *input, aclmdlDataset *output, bool waits,
                        struct execution **prepared)
{
    if (input == NULL || output == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    struct execution *execution = calloc(1, sizeof *execution);
    if (execution == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    execution->model = modelHold(id);
    execution->inputs = buffersOf(input);
    execution->outputs = buffersOf(output);
    aclError status = execution->model == NULL ? (aclError)ACL_ERROR_GE_EXEC_MODEL_ID_INVALID
                      : execution->inputs == NULL || execution->outputs == NULL ? ACL_ERROR_BAD_ALLOC
                                                                               : ACL_SUCCESS;
    bool is_offline = status == ACL_SUCCESS && execution->model->offline != NULL;
    bool is_dynamic = is_offline && execution->model->offline->is_dynamic;
    if (is_dynamic) {
        status = shapesCheck(execution, input, output);
    }
    if (status == ACL_SUCCESS && is_offline && waits) {
        status = provide(output, execution);
    }
    if (status == ACL_SUCCESS) {
        status = is_dynamic ? shapesAnswer(execution, output) : checkFixed(execution, input, output);
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
    aclError status = prepare(modelId, input, output, true, &execution);
    REQUIRE(status == ACL_SUCCESS, status);
    status = run(execution);
    drop(execution);
    ANSWER(status);
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output, aclrtStream stream)
{
    ENTER();
    struct execution *execution;
    aclError status = prepare(modelId, input, output, false, &execution);
    REQUIRE(status == ACL_SUCCESS, status);
    ANSWER(aclsimEnqueue(stream, run, drop, execution));
}

/* Waits too; the stream orders it. */
aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output, aclrtStream stream,
                         const aclmdlExecConfigHandle *handle)
{
    ENTER();
    struct execution *execution;
    REQUIRE(handle != NULL, ACL_ERROR_INVALID_PARAM);
    aclError status = prepare(modelId, input, output, true, &execution);
    REQUIRE(status == ACL_SUCCESS, status);
    status = aclsimEnqueue(stream, run, drop, execution);
    REQUIRE(status == ACL_SUCCESS, status);
    int32_t timeout = handle->stream_timeout;
    ANSWER(timeout < 0 ? aclrtSynchronizeStream(stream) : aclrtSynchronizeStreamWithTimeout(stream, timeout));
}

aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output, aclrtStream stream,
                              const aclmdlExecConfigHandle *handle)
{
    ENTER();
    (void)handle;
    struct execution *execution;
    aclError status = prepare(modelId, input, output, false, &execution);
    REQUIRE(status == ACL_SUCCESS, status);
    ANSWER(aclsimEnqueue(stream, run, drop, execution));
}

aclmdlExecConfigHandle *aclmdlCreateExecConfigHandle(void)
{
    aclmdlExecConfigHandle *handle = calloc(1, sizeof *handle);
    if (handle != NULL) {
        handle->stream_timeout = handle->event_timeout = -1;
    }
    return handle;
}

aclError aclmdlDestroyExecConfigHandle(const aclmdlExecConfigHandle *handle)
{
    ENTER();
    REQUIRE(handle != NULL, ACL_ERROR_INVALID_PARAM);
    free((void *)handle);
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetExecConfigOpt(aclmdlExecConfigHandle *handle, aclmdlExecConfigAttr attr, const void *attrValue,
                                size_t valueSize)
{
    ENTER();
    int32_t timeout;
    REQUIRE(handle != NULL && attrValue != NULL && valueSize == sizeof timeout, ACL_ERROR_INVALID_PARAM);
    REQUIRE(attr == ACL_MDL_STREAM_SYNC_TIMEOUT || attr == ACL_MDL_EVENT_SYNC_TIMEOUT, ACL_ERROR_INVALID_PARAM);
    memcpy(&timeout, attrValue, sizeof timeout);
    REQUIRE(timeout >= -1, ACL_ERROR_INVALID_PARAM);
    *(attr == ACL_MDL_STREAM_SYNC_TIMEOUT ? &handle->stream_timeout : &handle->event_timeout) = timeout;
    ANSWER(ACL_SUCCESS);
}
