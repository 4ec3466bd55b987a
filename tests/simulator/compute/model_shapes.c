/* Models with open shapes: the shapes of an execution's inputs, and the simulator's shapes for its outputs.
 *
 * Only the model's code knows how an output's shape follows from the inputs'. Here an open dimension of an output takes
 * the size that the first input with an open dimension at the same place has there, else the first open one of all. */
#include <string.h>

#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"
#include "model_execute.h"

struct actual {
    size_t rank;
    int64_t dims[ACL_MAX_DIM_CNT];
};

/* The shape of the dataset's descriptor, else the model's own with its open dimension found from the buffer's size. */
static bool actualInput(const struct om_end *end, const struct dataset_entry *entry, uint64_t size, struct actual *to)
{
    uint64_t known = omElementBits(end->type) / 8;
    int64_t *open = NULL;
    if (entry->desc != NULL) {
        to->rank = (size_t)entry->desc->shape.rank;
        memcpy(to->dims, entry->desc->shape.dims, to->rank * sizeof *to->dims);
        return true;
    }
    if (end->dims.count > ACL_MAX_DIM_CNT) {
        return false;
    }
    to->rank = end->dims.count;
    for (size_t i = 0; i < to->rank; i++) {
        to->dims[i] = end->dims.at[i];
        if (to->dims[i] < 0) {
            if (open != NULL) {
                return false;
            }
            open = &to->dims[i];
        } else if (__builtin_mul_overflow(known, (uint64_t)to->dims[i], &known)) {
            return false;
        }
    }
    if (open != NULL) {
        *open = known == 0 ? 0 : (int64_t)(size / known);
    }
    return true;
}

static bool isInRange(const struct om_end *end, const struct actual *shape)
{
    const struct om_dims *ranges = &end->ranges;
    if (shape->rank == 0 || ranges->count == 0) {
        return true;
    }
    if (ranges->count != 2 * shape->rank) {
        return false;
    }
    for (size_t i = 0; i < shape->rank; i++) {
        int64_t least = ranges->at[2 * i], most = ranges->at[2 * i + 1];
        if (shape->dims[i] != -1 &&
            (least < 0 || shape->dims[i] < least || most < -1 || (most >= 0 && shape->dims[i] > most))) {
            return false;
        }
    }
    return true;
}

static uint64_t bytesOf(int32_t type, const int64_t *dims, size_t rank)
{
    int64_t bytes = 0;
    bool is_known = omTensorBytes(type, &(struct om_dims){rank, dims}, &bytes);
    return is_known && bytes > 0 ? (uint64_t)bytes : 0;
}

/* The size of an open dimension, by its place; 0: none is open there. */
struct open_sizes {
    int64_t at[ACL_MAX_DIM_CNT];
    int64_t first;
};

static void note(const struct om_end *end, const struct actual *shape, struct open_sizes *open)
{
    for (size_t i = 0; i < shape->rank; i++) {
        if (i >= end->dims.count || end->dims.at[i] >= 0) {
            continue;
        }
        open->at[i] = open->at[i] == 0 ? shape->dims[i] : open->at[i];
        open->first = open->first == 0 ? shape->dims[i] : open->first;
    }
}

static size_t actualOutput(const struct om_end *end, const struct open_sizes *open, int64_t *dims)
{
    size_t rank = end->dims.count < ACL_MAX_DIM_CNT ? end->dims.count : ACL_MAX_DIM_CNT;
    for (size_t i = 0; i < rank; i++) {
        int64_t size = open->at[i] != 0 ? open->at[i] : open->first != 0 ? open->first : 1;
        dims[i] = end->dims.at[i] >= 0 ? end->dims.at[i] : size;
    }
    return rank;
}

aclError shapesCheck(struct execution *execution, const aclmdlDataset *input, const aclmdlDataset *output)
{
    const struct om_signature *signature = &execution->model->signature;
    struct open_sizes open = {0};
    if (input->count < signature->inputs) {
        return ACL_ERROR_INVALID_PARAM;
    }
    if (output->count != signature->outputs) {
        return ACL_ERROR_GE_FAILURE;
    }
    for (size_t i = 0; i < signature->inputs; i++) {
        const struct om_end *end = &signature->input[i];
        struct actual shape;
        bool is_checked = end->aipp == NULL || end->aipp->mode != ACL_DATA_WITH_DYNAMIC_AIPP;
        if (!actualInput(end, &input->entries[i], execution->inputs[i].size, &shape) ||
            (is_checked && !isInRange(end, &shape))) {
            return ACL_ERROR_INVALID_PARAM;
        }
        execution->inputs[i].touched = bytesOf(end->type, shape.dims, shape.rank);
        note(end, &shape, &open);
    }
    for (size_t i = 0; i < signature->outputs; i++) {
        const struct om_end *end = &signature->output[i];
        int64_t dims[ACL_MAX_DIM_CNT];
        size_t rank = actualOutput(end, &open, dims);
        execution->outputs[i].touched = bytesOf(end->type, dims, rank);
        execution->outputs[i].rank = rank < TENSOR_DIMS ? rank : TENSOR_DIMS;
        memcpy(execution->outputs[i].dims, dims, execution->outputs[i].rank * sizeof *dims);
    }
    return ACL_SUCCESS;
}

aclError shapesAnswer(const struct execution *execution, aclmdlDataset *output)
{
    const struct om_signature *signature = &execution->model->signature;
    for (size_t i = 0; i < signature->outputs; i++) {
        const struct offline_buffer *buffer = &execution->outputs[i];
        if (buffer->address != NULL && buffer->size < buffer->touched) {
            return ACL_ERROR_GE_FAILURE;
        }
    }
    for (size_t i = 0; i < signature->outputs; i++) {
        const struct offline_buffer *buffer = &execution->outputs[i];
        aclTensorDesc *desc = aclCreateTensorDesc((aclDataType)signature->output[i].type, (int)buffer->rank, buffer->dims,
                                                  (aclFormat)signature->output[i].format);
        aclDestroyTensorDesc(output->entries[i].desc);
        output->entries[i].desc = desc;
    }
    return ACL_SUCCESS;
}
