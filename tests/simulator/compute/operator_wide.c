/* aclop* with several results: the same checks and the same task, for more tensors. */
#include "operator.h"

#include <stdlib.h>

#include "entry.h"

struct wide_task {
    const struct wide_kernel *kernel;
    aclopAttr attributes;
    struct view in[WIDE_INPUTS], out[WIDE_OUTPUTS];
    void *in_addresses[WIDE_INPUTS], *out_addresses[WIDE_OUTPUTS];
};

/* An input that was left out has a descriptor without a type. */
static bool isGiven(const struct view *view)
{
    return elementBytes(view->type) != 0;
}

static bool reach(struct view *view, void *address)
{
    /* A scalar that nobody reads may lie in host memory. */
    view->bytes = isGiven(view) ? deviceWindow(address, tensorBytes(view->type, &view->shape)) : NULL;
    return view->bytes != NULL || !isGiven(view);
}

static aclError run(void *argument)
{
    struct wide_task *task = argument;
    bool is_mapped = true;
    for (int i = 0; i < task->kernel->inputs; i++) {
        is_mapped = reach(&task->in[i], task->in_addresses[i]) && is_mapped;
    }
    for (int i = 0; i < task->kernel->outputs; i++) {
        is_mapped = reach(&task->out[i], task->out_addresses[i]) && is_mapped;
    }
    if (!is_mapped) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    return task->kernel->compute(task->in, &task->attributes, task->out) ? ACL_SUCCESS : ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
}

static aclError describe(int count, const aclTensorDesc *const descs[], struct view *views)
{
    for (int i = 0; i < count; i++) {
        if (descs == NULL || descs[i] == NULL) {
            return ACL_ERROR_INVALID_PARAM;
        }
        views[i] = (struct view){.type = descs[i]->type, .shape = descs[i]->shape};
    }
    return ACL_SUCCESS;
}

static aclError settle(struct wide_task *task, int inputs, const aclTensorDesc *const input_descs[], int outputs,
                       const aclTensorDesc *const output_descs[], const aclopAttr *attributes)
{
    if (inputs < task->kernel->inputs || inputs > WIDE_INPUTS) {
        return ACL_ERROR_OP_INPUT_NOT_MATCH;
    }
    if (outputs != task->kernel->outputs) {
        return ACL_ERROR_OP_OUTPUT_NOT_MATCH;
    }
    aclError status = describe(inputs, input_descs, task->in);
    status = status == ACL_SUCCESS ? describe(outputs, output_descs, task->out) : status;
    if (status != ACL_SUCCESS) {
        return status;
    }
    if (attributes != NULL) {
        task->attributes = *attributes;
    }
    return task->kernel->fits(task->in, &task->attributes, task->out) ? ACL_SUCCESS : ACL_ERROR_OP_INPUT_NOT_MATCH;
}

aclError wideCheck(const struct wide_kernel *kernel, int inputs, const aclTensorDesc *const input_descs[], int outputs,
                   const aclTensorDesc *const output_descs[], const aclopAttr *attributes)
{
    struct wide_task *task = calloc(1, sizeof *task);
    if (task == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    task->kernel = kernel;
    aclError status = settle(task, inputs, input_descs, outputs, output_descs, attributes);
    free(task);
    return status;
}

aclError wideSubmit(const struct wide_kernel *kernel, int inputs, const aclTensorDesc *const input_descs[],
                    const aclDataBuffer *const input_buffers[], int outputs, const aclTensorDesc *const output_descs[],
                    aclDataBuffer *const output_buffers[], const aclopAttr *attributes, aclrtStream stream)
{
    struct wide_task *task = calloc(1, sizeof *task);
    if (task == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    task->kernel = kernel;
    aclError status = settle(task, inputs, input_descs, outputs, output_descs, attributes);
    for (int i = 0; status == ACL_SUCCESS && i < inputs; i++) {
        task->in_addresses[i] = input_buffers[i] == NULL ? NULL : aclGetDataBufferAddr(input_buffers[i]);
        status = isGiven(&task->in[i]) && i < kernel->inputs && task->in_addresses[i] == NULL ? ACL_ERROR_INVALID_PARAM : status;
    }
    for (int i = 0; status == ACL_SUCCESS && i < outputs; i++) {
        task->out_addresses[i] = output_buffers[i] == NULL ? NULL : aclGetDataBufferAddr(output_buffers[i]);
        status = task->out_addresses[i] == NULL ? ACL_ERROR_INVALID_PARAM : status;
    }
    if (status != ACL_SUCCESS) {
        free(task);
        return status;
    }
    return aclsimEnqueue(stream, run, free, task);
}
