/* aclopHandle: one operator with its descriptors, to be run often. */
#include <stdlib.h>
#include <string.h>

#include "entry.h"
#include "operator.h"

struct aclopHandle {
    char *type;
    aclopAttr attributes;
    int inputs;
    aclTensorDesc in[KERNEL_TENSORS], out;
};

aclError aclopCreateHandle(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[], int numOutputs,
                           const aclTensorDesc *const outputDesc[], const aclopAttr *opAttr, aclopHandle **handle)
{
    ENTER();
    REQUIRE(handle != NULL, ACL_ERROR_INVALID_PARAM);
    aclError status = aclsimOperatorCheck(opType, numInputs, inputDesc, numOutputs, outputDesc, opAttr);
    REQUIRE(status == ACL_SUCCESS, status);
    aclopHandle *made = calloc(1, sizeof *made);
    REQUIRE(made != NULL, ACL_ERROR_BAD_ALLOC);
    made->type = strdup(opType);
    if (opAttr != NULL) {
        made->attributes = *opAttr;
    }
    /* Constants are given with the buffers. */
    for (; made->inputs < numInputs; made->inputs++) {
        made->in[made->inputs] = *inputDesc[made->inputs];
        made->in[made->inputs].constant = NULL;
    }
    made->out = *outputDesc[0];
    made->out.constant = NULL;
    *handle = made;
    return ACL_SUCCESS;
}

void aclopDestroyHandle(aclopHandle *handle)
{
    if (handle != NULL) {
        free(handle->type);
        free(handle);
    }
}

aclError aclopExecWithHandle(aclopHandle *handle, int numInputs, const aclDataBuffer *const inputs[], int numOutputs,
                             aclDataBuffer *const outputs[], aclrtStream stream)
{
    ENTER();
    REQUIRE(handle != NULL && numInputs == handle->inputs && numOutputs == 1, ACL_ERROR_INVALID_PARAM);
    const aclTensorDesc *in[KERNEL_TENSORS], *out = &handle->out;
    for (int i = 0; i < numInputs; i++) {
        in[i] = &handle->in[i];
    }
    ANSWER(aclsimOperatorSubmit(handle->type, numInputs, in, inputs, 1, &out, outputs, &handle->attributes, stream));
}
