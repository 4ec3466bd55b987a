/* The compiled shape of an execution, and the bytes of each buffer that belong to it. */
#include <string.h>

#include "acl/acl_mdl.h"
#include "aipp_data.h"
#include "model.h"

enum { MODE_DYNAMIC = 2, NONE = -1 };

/* The last input has the gear's numbers in device memory: as 64-bit numbers where it has room for them, as the setters
 * write them. */
static int64_t gearOf(const struct om_signature *signature, const struct offline_buffer *inputs)
{
    const struct om_gears *gears = &signature->gears;
    size_t last = signature->inputs - 1;
    if (gears->count == 0 || signature->inputs == 0 ||
        strcmp(signature->input[last].name, ACL_DYNAMIC_TENSOR_NAME) != 0) {
        return NONE;
    }
    for (size_t gear = 0; gear < gears->count; gear++) {
        size_t count = gears->at[gear].count, width = inputs[last].size >= 8 * count ? 8 : 4, equal = 0;
        const unsigned char *bytes = deviceWindow(inputs[last].address, count * width);
        for (; bytes != NULL && equal < count; equal++) {
            uint64_t number = 0;
            memcpy(&number, bytes + equal * width, width);
            if (number != (uint64_t)gears->at[gear].at[equal]) {
                break;
            }
        }
        if (bytes != NULL && equal == count) {
            return (int64_t)gear;
        }
    }
    return NONE;
}

static size_t openDims(const struct om_end *end)
{
    size_t count = 0;
    for (size_t i = 0; i < end->dims.count; i++) {
        count += end->dims.at[i] < 0;
    }
    return count;
}

/* Where an input's numbers begin in a gear. A batch or an image size is the same for all inputs; dims go through the
 * inputs in the order that the model names. */
static size_t firstNumber(const struct om_signature *signature, const struct om_end *end)
{
    const struct om_names *order = &signature->gears.order;
    size_t first = 0;
    for (size_t i = 0; signature->gears.kind == OM_GEARS_DIMS && i < order->count; i++) {
        if (strcmp(order->at[i], end->name) == 0) {
            return first;
        }
        for (size_t k = 0; k < signature->inputs; k++) {
            first += strcmp(order->at[i], signature->input[k].name) == 0 ? openDims(&signature->input[k]) : 0;
        }
    }
    return 0;
}

/* An input's bytes in a gear: each open dimension takes the next of the gear's numbers. */
static uint64_t inputBytes(const struct om_signature *signature, const struct om_end *end, size_t gear)
{
    const struct om_dims *numbers = &signature->gears.at[gear];
    struct om_dims dims = {0};
    int64_t filled[ACL_MAX_DIM_CNT], bytes = 0;
    bool is_open = false;
    if (end->aipp != NULL && end->aipp->sources == signature->gears.count) {
        return end->aipp->source[gear].size;
    }
    size_t position = firstNumber(signature, end);
    if (end->dims.count > ACL_MAX_DIM_CNT) {
        return end->size;
    }
    for (; dims.count < end->dims.count; dims.count++) {
        filled[dims.count] = end->dims.at[dims.count];
        if (filled[dims.count] < 0 && numbers->count > 0) {
            filled[dims.count] = numbers->at[position < numbers->count ? position : numbers->count - 1];
            position++;
            is_open = true;
        }
    }
    dims.at = filled;
    return is_open && omTensorBytes(end->type, &dims, &bytes) && bytes >= 0 ? (uint64_t)bytes : end->size;
}

static uint64_t outputBytes(const struct om_signature *signature, size_t output, int64_t gear)
{
    const struct om_end *end = &signature->output[output];
    for (size_t i = 0; i < signature->gears.shapes; i++) {
        const struct om_dims *shape = &signature->gears.shape[i];
        int64_t bytes;
        if (shape->count < 2 || (shape->at[0] != gear && shape->at[0] != -1) || shape->at[1] != (int64_t)output) {
            continue;
        }
        struct om_dims dims = {shape->count - 2, shape->at + 2};
        return omTensorBytes(end->type, &dims, &bytes) && bytes >= 0 ? (uint64_t)bytes : end->size;
    }
    return end->size;
}

/* An image of dynamic AIPP is as large as the parameters say that lie in the buffer of its AippData. */
static uint64_t imageBytes(const struct om_signature *signature, const struct om_end *end,
                           const struct offline_buffer *inputs)
{
    int64_t attached = end->aipp->attached;
    const struct aipp_data *data = NULL;
    if (attached >= 0 && (size_t)attached < signature->inputs) {
        data = deviceWindow(inputs[attached].address, AIPP_DATA_BYTES);
    }
    struct aipp_data copy = {0};
    if (data != NULL) {
        memcpy(&copy, data, AIPP_DATA_BYTES);
    }
    uint64_t bytes = aippSourceBytes(&copy, copy.batches < 0 ? 0 : (uint64_t)copy.batches);
    return bytes > 0 && bytes <= end->size ? bytes : end->size;
}

void offlineTouched(const struct model *model, struct offline_buffer *inputs, struct offline_buffer *outputs)
{
    const struct om_signature *signature = &model->signature;
    int64_t gear = gearOf(signature, inputs);
    for (size_t i = 0; i < signature->inputs; i++) {
        const struct om_end *end = &signature->input[i];
        inputs[i].touched = gear == NONE ? end->size : inputBytes(signature, end, (size_t)gear);
        if (end->aipp != NULL && end->aipp->has_mode && end->aipp->mode == MODE_DYNAMIC) {
            inputs[i].touched = imageBytes(signature, end, inputs);
        }
    }
    for (size_t i = 0; i < signature->outputs; i++) {
        outputs[i].touched = gear == NONE ? signature->output[i].size : outputBytes(signature, i, gear);
    }
}
