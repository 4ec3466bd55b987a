/* aclop*: an operator by name, checked at the call and computed in stream order. */
#include "operator.h"

#include <stdlib.h>
#include <string.h>

#include "entry.h"

struct operand {
    struct view view;
    void *address;
    void *constant; /* our copy of a constant's value, or NULL */
    bool in_host;   /* placed in host memory by its descriptor */
};

struct task {
    const struct kernel *kernel;
    aclopAttr attributes;
    int inputs;
    struct operand in[KERNEL_TENSORS];
    struct operand out;
};

static void drop(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < task->inputs; i++) {
        free(task->in[i].constant);
    }
    free(task);
}

/* A tensor without elements has no address. */
static bool isEmpty(const aclTensorDesc *desc)
{
    return elementCount(&desc->shape) == 0;
}

static unsigned char *reach(const struct operand *operand)
{
    static unsigned char none[1];
    if (operand->address == NULL && elementCount(&operand->view.shape) == 0) {
        return none;
    }
    if (operand->constant != NULL) {
        return operand->constant;
    }
    if (operand->in_host) {
        return operand->address;
    }
    return deviceWindow(operand->address, tensorBytes(operand->view.type, &operand->view.shape));
}

static aclError run(void *argument)
{
    struct task *task = argument;
    struct view in[KERNEL_TENSORS];
    for (int i = 0; i < task->inputs; i++) {
        in[i] = task->in[i].view;
        in[i].bytes = reach(&task->in[i]);
        if (in[i].bytes == NULL) {
            return ACL_ERROR_RT_AICORE_EXCEPTION;
        }
    }
    struct view out = task->out.view;
    out.bytes = reach(&task->out);
    if (out.bytes == NULL) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    task->kernel->compute(in, task->inputs, &task->attributes, &out);
    return ACL_SUCCESS;
}

static struct view described(const aclTensorDesc *desc)
{
    return (struct view){desc->type, desc->shape, desc->constant};
}

static aclError settle(const struct kernel *kernel, int inputs, const aclTensorDesc *const input_descs[], int outputs,
                       const aclTensorDesc *const output_descs[], const aclopAttr *attributes, struct view *out)
{
    struct view in[KERNEL_TENSORS];
    if (kernel == NULL) {
        return ACL_ERROR_OP_NOT_FOUND;
    }
    if (inputs < kernel->inputs || inputs > KERNEL_TENSORS) {
        return ACL_ERROR_OP_INPUT_NOT_MATCH;
    }
    if (outputs != 1 || output_descs == NULL || output_descs[0] == NULL) {
        return ACL_ERROR_OP_OUTPUT_NOT_MATCH;
    }
    for (int i = 0; i < inputs; i++) {
        if (input_descs == NULL || input_descs[i] == NULL) {
            return ACL_ERROR_INVALID_PARAM;
        }
        in[i] = described(input_descs[i]);
        if (elementBytes(in[i].type) == 0) {
            return ACL_ERROR_UNSUPPORTED_DATA_TYPE;
        }
    }
    *out = described(output_descs[0]);
    if (!kernel->infer(in, inputs, attributes, out)) {
        return ACL_ERROR_OP_INPUT_NOT_MATCH;
    }
    if (out->type != output_descs[0]->type || elementCount(&out->shape) != elementCount(&output_descs[0]->shape)) {
        return ACL_ERROR_OP_OUTPUT_NOT_MATCH;
    }
    return ACL_SUCCESS;
}

aclError aclsimOperatorCheck(const char *type, int inputs, const aclTensorDesc *const input_descs[], int outputs,
                             const aclTensorDesc *const output_descs[], const aclopAttr *attributes)
{
    struct view out;
    if (type == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    const struct wide_kernel *wide = wideKernelFind(type);
    return wide != NULL ? wideCheck(wide, inputs, input_descs, outputs, output_descs, attributes)
                        : settle(kernelFind(type), inputs, input_descs, outputs, output_descs, attributes, &out);
}

static aclError takeOperand(struct operand *operand, const aclTensorDesc *desc, const aclDataBuffer *buffer)
{
    if (buffer == NULL || (aclGetDataBufferAddr(buffer) == NULL && desc->constant == NULL && !isEmpty(desc))) {
        return ACL_ERROR_INVALID_PARAM;
    }
    operand->view = described(desc);
    operand->view.bytes = NULL;
    operand->address = aclGetDataBufferAddr(buffer);
    operand->in_host = desc->place != ACL_MEMTYPE_DEVICE;
    if (desc->constant == NULL) {
        return ACL_SUCCESS;
    }
    if (desc->constant_bytes < tensorBytes(desc->type, &desc->shape)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    operand->constant = malloc(desc->constant_bytes);
    if (operand->constant == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    memcpy(operand->constant, desc->constant, desc->constant_bytes);
    return ACL_SUCCESS;
}

aclError aclsimOperatorSubmit(const char *type, int inputs, const aclTensorDesc *const input_descs[],
                              const aclDataBuffer *const input_buffers[], int outputs,
                              const aclTensorDesc *const output_descs[], aclDataBuffer *const output_buffers[],
                              const aclopAttr *attributes, aclrtStream stream)
{
    struct view out;
    if (type == NULL || input_buffers == NULL || output_buffers == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    const struct wide_kernel *wide = wideKernelFind(type);
    if (wide != NULL) {
        return wideSubmit(wide, inputs, input_descs, input_buffers, outputs, output_descs, output_buffers, attributes, stream);
    }
    const struct kernel *kernel = kernelFind(type);
    aclError status = settle(kernel, inputs, input_descs, outputs, output_descs, attributes, &out);
    if (status != ACL_SUCCESS) {
        return status;
    }
    struct task *task = calloc(1, sizeof *task);
    if (task == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    task->kernel = kernel;
    if (attributes != NULL) {
        task->attributes = *attributes;
    }
    while (status == ACL_SUCCESS && task->inputs < inputs) {
        int i = task->inputs++;
        status = takeOperand(&task->in[i], input_descs[i], input_buffers[i]);
    }
    if (status == ACL_SUCCESS) {
        status = takeOperand(&task->out, output_descs[0], output_buffers[0]);
    }
    task->out.view = (struct view){out.type, out.shape, NULL};
    if (status != ACL_SUCCESS) {
        drop(task);
        return status;
    }
    return aclsimEnqueue(stream, run, drop, task);
}

aclError aclopSetModelDir(const char *modelDir)
{
    ENTER();
    /* The directory's compiled operators cannot run here; the built-in ones of the same names can. */
    ANSWER(modelDir == NULL ? ACL_ERROR_INVALID_PARAM : ACL_SUCCESS);
}

aclError aclopExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                      const aclDataBuffer *const inputs[], int numOutputs, const aclTensorDesc *const outputDesc[],
                      aclDataBuffer *const outputs[], const aclopAttr *attr, aclrtStream stream)
{
    ENTER();
    ANSWER(aclsimOperatorSubmit(opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, stream));
}

aclError aclopExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[], aclDataBuffer *inputs[],
                        int numOutputs, aclTensorDesc *outputDesc[], aclDataBuffer *outputs[], aclopAttr *attr,
                        aclrtStream stream)
{
    ENTER();
    ANSWER(aclsimOperatorSubmit(opType, numInputs, (const aclTensorDesc *const *)inputDesc,
                                (const aclDataBuffer *const *)inputs, numOutputs,
                                (const aclTensorDesc *const *)outputDesc, outputs, attr, stream));
}

aclError aclopCast(const aclTensorDesc *srcDesc, const aclDataBuffer *srcBuffer, const aclTensorDesc *dstDesc,
                   aclDataBuffer *dstBuffer, uint8_t truncate, aclrtStream stream)
{
    ENTER();
    (void)truncate;
    ANSWER(aclsimOperatorSubmit("Cast", 1, &srcDesc, &srcBuffer, 1, &dstDesc, &dstBuffer, NULL, stream));
}
