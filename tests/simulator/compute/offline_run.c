/* Running an offline model: the same memory is accessed as on the chip, and an unmapped address traps. */
#include <string.h>

#include "acl/error_codes/rt_error_codes.h"
#include "model.h"

enum { WORK_BYTE = 0x5a };

static bool readAll(const void *address, uint64_t bytes, uint64_t *hash)
{
    const void *window = bytes == 0 ? "" : deviceWindow(address, bytes);
    if (window != NULL) {
        *hash = offlineHash(*hash, window, bytes);
    }
    return window != NULL;
}

static bool writeAll(void *address, uint64_t bytes)
{
    void *window = bytes == 0 ? NULL : deviceWindow(address, bytes);
    if (window != NULL) {
        memset(window, WORK_BYTE, bytes);
    }
    return bytes == 0 || window != NULL;
}

static aclError runSubstitute(const struct offline *offline, const struct om_signature *signature,
                              const struct offline_buffer *inputs, const struct offline_buffer *outputs)
{
    void *in[GRAPH_VALUES], *out[GRAPH_VALUES];
    for (size_t i = 0; i < signature->inputs; i++) {
        in[i] = inputs[i].address;
    }
    for (size_t i = 0; i < signature->outputs; i++) {
        out[i] = outputs[i].address;
    }
    return graphRun(offline->substitute, offline->substitute_work, offline->substitute_weights, in, out);
}

aclError offlineRun(const struct model *model, const struct offline_buffer *inputs, const struct offline_buffer *outputs)
{
    const struct offline *offline = model->offline;
    uint64_t hash = offline->seed;
    bool is_there = true;
    for (size_t i = 0; i < model->signature.inputs && is_there; i++) {
        is_there = readAll(inputs[i].address, inputs[i].touched, &hash);
    }
    is_there = is_there && readAll(model->weights, model->weight_bytes, &hash);
    for (size_t i = 0; i < offline->blocks && is_there; i++) {
        is_there = offline->block[i].is_read ? readAll(offline->block[i].address, offline->block[i].bytes, &hash)
                                             : writeAll(offline->block[i].address, offline->block[i].bytes);
    }
    is_there = is_there && writeAll(model->work, model->work_bytes);
    if (!is_there) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    if (offline->substitute != NULL) {
        return runSubstitute(offline, &model->signature, inputs, outputs);
    }
    for (size_t i = 0; i < model->signature.outputs; i++) {
        void *window = outputs[i].touched == 0 ? NULL : deviceWindow(outputs[i].address, outputs[i].touched);
        if (outputs[i].touched > 0 && window == NULL) {
            return ACL_ERROR_RT_AICORE_EXCEPTION;
        }
        if (outputs[i].touched > 0) {
            offlineFill(model, i, window, outputs[i].touched, hash);
        }
    }
    return ACL_SUCCESS;
}
