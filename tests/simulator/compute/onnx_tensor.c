/* ONNX tensors: a weight with its elements. */
#include "onnx.h"

#include <stdlib.h>
#include <string.h>

aclDataType onnxType(uint64_t onnx)
{
    static const aclDataType types[] = {
        ACL_DT_UNDEFINED, ACL_FLOAT,  ACL_UINT8, ACL_INT8,    ACL_UINT16, ACL_INT16,  ACL_INT32,
        ACL_INT64,        ACL_STRING, ACL_BOOL,  ACL_FLOAT16, ACL_DOUBLE, ACL_UINT32, ACL_UINT64,
    };
    return onnx < sizeof types / sizeof *types ? types[onnx] : onnx == 16 ? ACL_BF16 : ACL_DT_UNDEFINED;
}

bool onnxDim(struct shape *shape, uint64_t size)
{
    if (shape->rank == TENSOR_DIMS || size > INT32_MAX) {
        return false;
    }
    shape->dims[shape->rank++] = (int64_t)size;
    return true;
}

/* Numbers of a field that may be one varint or a packed list. */
static bool numbers(const struct field *field, bool (*take)(void *to, uint64_t number), void *to)
{
    if (!field->is_bytes) {
        return take(to, field->value);
    }
    struct message list = field->bytes;
    uint64_t number;
    while (packedNext(&list, &number)) {
        if (!take(to, number)) {
            return false;
        }
    }
    return true;
}

static bool takeDim(void *to, uint64_t number)
{
    return onnxDim(to, number);
}

struct filling {
    struct view *view;
    int64_t next, limit;
};

static bool takeElement(void *to, uint64_t number)
{
    struct filling *filling = to;
    if (filling->next == filling->limit) {
        return false;
    }
    elementPut(filling->view, filling->next++, (int64_t)number);
    return true;
}

/* TensorProto: its elements are raw bytes, or a list of floats or integers. */
bool onnxTensor(struct message tensor, char *name, struct view *view)
{
    struct message raw = {0}, floats = {0}, again = tensor;
    struct field field;
    *view = (struct view){ACL_DT_UNDEFINED, {0}, NULL};
    while (messageNext(&tensor, &field)) {
        if (field.number == 1 && !numbers(&field, takeDim, &view->shape)) {
            return false;
        }
        if (field.number == 2) {
            view->type = onnxType(field.value);
        }
        if (field.number == 4) {
            floats = field.bytes;
        }
        if (field.number == 8) {
            fieldText(&field, name, TENSOR_NAME);
        }
        if (field.number == 9) {
            raw = field.bytes;
        }
    }
    size_t bytes = tensorBytes(view->type, &view->shape);
    if (tensor.damaged || bytes == 0) {
        return false;
    }
    const struct message *plain = messageLength(&raw) > 0 ? &raw : &floats;
    view->bytes = calloc(1, bytes);
    if (view->bytes == NULL) {
        return false;
    }
    if (messageLength(plain) == bytes && (plain == &raw || view->type == ACL_FLOAT)) {
        memcpy(view->bytes, plain->at, bytes);
        return true;
    }
    struct filling filling = {view, 0, elementCount(&view->shape)};
    while (messageNext(&again, &field)) {
        if ((field.number == 5 || field.number == 7) && !numbers(&field, takeElement, &filling)) {
            return false;
        }
    }
    return filling.next == filling.limit;
}
