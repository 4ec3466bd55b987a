/* ONNX messages. Field numbers are those of the format's public schema. */
#include "onnx.h"

#include <stdlib.h>
#include <string.h>

#include "protobuf.h"

int graph_value(struct graph *graph, const char *name)
{
    for (int i = 0; i < graph->values; i++)
        if (strcmp(graph->value[i].name, name) == 0)
            return i;
    if (graph->values == GRAPH_VALUES)
        return -1;
    struct value *value = &graph->value[graph->values];
    memset(value, 0, sizeof *value);
    memcpy(value->name, name, strnlen(name, TENSOR_NAME - 1));
    value->role = ROLE_WORK;
    value->view.type = ACL_DT_UNDEFINED;
    return graph->values++;
}

static aclDataType element_type(uint64_t onnx)
{
    static const aclDataType types[] = {
        ACL_DT_UNDEFINED, ACL_FLOAT,        ACL_UINT8, ACL_INT8,    ACL_UINT16, ACL_INT16,
        ACL_INT32,        ACL_INT64,        ACL_STRING, ACL_BOOL,   ACL_FLOAT16, ACL_DOUBLE,
        ACL_UINT32,       ACL_UINT64,
    };
    return onnx < sizeof types / sizeof *types ? types[onnx] : onnx == 16 ? ACL_BF16 : ACL_DT_UNDEFINED;
}

static bool add_dim(struct shape *shape, uint64_t size)
{
    if (shape->rank == TENSOR_DIMS || size > INT32_MAX)
        return false;
    shape->dims[shape->rank++] = (int64_t)size;
    return true;
}

/* Numbers of a field that may be one varint or a packed list. */
static bool numbers(const struct field *field, bool (*take)(void *to, uint64_t number), void *to)
{
    if (!field->is_bytes)
        return take(to, field->value);
    struct message list = field->bytes;
    uint64_t number;
    while (packed_next(&list, &number))
        if (!take(to, number))
            return false;
    return true;
}

static bool take_dim(void *to, uint64_t number)
{
    return add_dim(to, number);
}

struct filling {
    struct view *view;
    int64_t next, limit;
};

static bool take_element(void *to, uint64_t number)
{
    struct filling *filling = to;
    if (filling->next == filling->limit)
        return false;
    element_put(filling->view, filling->next++, (int64_t)number);
    return true;
}

/* TensorProto: its elements are raw bytes, or a list of floats or integers. */
static bool read_tensor(struct message tensor, char *name, struct view *view)
{
    struct message raw = {0}, floats = {0}, again = tensor;
    struct field field;
    *view = (struct view){ACL_DT_UNDEFINED, {0}, NULL};
    while (message_next(&tensor, &field)) {
        if (field.number == 1 && !numbers(&field, take_dim, &view->shape))
            return false;
        if (field.number == 2)
            view->type = element_type(field.value);
        if (field.number == 4)
            floats = field.bytes;
        if (field.number == 8)
            field_text(&field, name, TENSOR_NAME);
        if (field.number == 9)
            raw = field.bytes;
    }
    size_t bytes = tensor_bytes(view->type, &view->shape);
    if (tensor.damaged || bytes == 0)
        return false;
    const struct message *plain = message_length(&raw) > 0 ? &raw : &floats;
    view->bytes = calloc(1, bytes);
    if (view->bytes == NULL)
        return false;
    if (message_length(plain) == bytes && (plain == &raw || view->type == ACL_FLOAT)) {
        memcpy(view->bytes, plain->at, bytes);
        return true;
    }
    struct filling filling = {view, 0, element_count(&view->shape)};
    while (message_next(&again, &field))
        if ((field.number == 5 || field.number == 7) && !numbers(&field, take_element, &filling))
            return false;
    return filling.next == filling.limit;
}

static bool add_weight(struct graph *graph, struct message tensor, const char *called)
{
    char name[TENSOR_NAME] = "";
    struct view view;
    if (!read_tensor(tensor, name, &view)) {
        free(view.bytes);
        return false;
    }
    int index = graph_value(graph, called == NULL ? name : called);
    if (index < 0 || graph->value[index].view.bytes != NULL) {
        free(view.bytes);
        return false;
    }
    graph->value[index].role = ROLE_WEIGHT;
    graph->value[index].view = view;
    return true;
}

/* TypeProto.Tensor and its shape; a dimension without a number is not fixed. */
static bool read_type(struct message type, struct view *view)
{
    struct field field, dim;
    while (message_next(&type, &field)) {
        if (field.number == 1 && field.is_bytes) /* tensor_type */
            return read_type(field.bytes, view);
        if (field.number == 1)
            view->type = element_type(field.value);
        if (field.number != 2)
            continue;
        view->shape.rank = 0;
        while (message_next(&field.bytes, &dim)) {
            struct message size = dim.bytes;
            struct field number;
            if (!message_next(&size, &number) || number.number != 1 || !add_dim(&view->shape, number.value))
                return false;
        }
    }
    return true;
}

static bool add_end(struct graph *graph, struct message info, enum role role)
{
    char name[TENSOR_NAME] = "";
    struct message type = {0};
    struct field field;
    while (message_next(&info, &field)) {
        if (field.number == 1)
            field_text(&field, name, sizeof name);
        if (field.number == 2)
            type = field.bytes;
    }
    int index = graph_value(graph, name);
    if (index < 0)
        return false;
    struct value *value = &graph->value[index];
    if (value->role == ROLE_WEIGHT) /* older files list weights among the inputs */
        return role == ROLE_INPUT;
    value->role = role;
    value->position = role == ROLE_INPUT ? graph->inputs++ : graph->outputs++;
    struct view given = {ACL_DT_UNDEFINED, {0}, NULL};
    if (!read_type(type, &given) && role == ROLE_INPUT)
        return false;
    value->view.type = given.type;
    value->view.shape = role == ROLE_INPUT ? given.shape : (struct shape){0};
    return true;
}

static bool read_attribute(struct message attribute, aclopAttr *attributes, struct message *tensor)
{
    char name[ATTRIBUTE_NAME] = "";
    int64_t integers[ATTRIBUTE_VALUES];
    float number = 0;
    int count = 0;
    bool is_float = false;
    struct field field;
    while (message_next(&attribute, &field)) {
        if (field.number == 1)
            field_text(&field, name, sizeof name);
        if (field.number == 2) {
            number = field_float(&field);
            is_float = true;
        }
        if (field.number == 5)
            *tensor = field.bytes;
        if (field.number == 3 || field.number == 8) {
            struct message list = field.bytes;
            uint64_t value = field.value;
            while ((!field.is_bytes || packed_next(&list, &value)) && count < ATTRIBUTE_VALUES) {
                integers[count++] = (int64_t)value;
                if (!field.is_bytes)
                    break;
            }
        }
    }
    if (attribute.damaged)
        return false;
    return (is_float ? aclopSetAttrFloat(attributes, name, number)
                     : aclopSetAttrListInt(attributes, name, count, integers)) == ACL_SUCCESS;
}

static bool add_node(struct graph *graph, struct message message)
{
    char type[TENSOR_NAME] = "", name[TENSOR_NAME];
    struct message constant = {0};
    struct node node = {.out = -1};
    struct field field;
    while (message_next(&message, &field)) {
        if (field.number == 1 || field.number == 2)
            field_text(&field, name, sizeof name);
        if (field.number == 1 && (node.inputs == KERNEL_TENSORS || (node.in[node.inputs++] = graph_value(graph, name)) < 0))
            return false;
        if (field.number == 2 && node.out < 0 && (node.out = graph_value(graph, name)) < 0)
            return false;
        if (field.number == 4)
            field_text(&field, type, sizeof type);
        if (field.number == 5 && !read_attribute(field.bytes, &node.attributes, &constant))
            return false;
    }
    if (message.damaged || node.out < 0)
        return false;
    if (strcmp(type, "Constant") == 0)
        return message_length(&constant) > 0 && add_weight(graph, constant, graph->value[node.out].name);
    node.kernel = kernel_find(type);
    if (node.kernel == NULL || node.inputs < node.kernel->inputs || graph->nodes == GRAPH_NODES)
        return false;
    graph->node[graph->nodes++] = node;
    return true;
}

static bool each(struct message graph_message, uint32_t number, struct graph *graph)
{
    struct field field;
    while (message_next(&graph_message, &field)) {
        if (field.number != number)
            continue;
        bool fits = number == 5    ? add_weight(graph, field.bytes, NULL)
                    : number == 11 ? add_end(graph, field.bytes, ROLE_INPUT)
                    : number == 12 ? add_end(graph, field.bytes, ROLE_OUTPUT)
                                   : add_node(graph, field.bytes);
        if (!fits)
            return false;
    }
    return !graph_message.damaged;
}

/* Weights first, since older files repeat them as inputs; nodes last, since they name all the rest. */
bool onnx_read(struct graph *graph, const void *model, size_t length)
{
    static const uint32_t order[] = {5, 11, 12, 1};
    struct message message = message_of(model, length);
    struct field field;
    bool found = false;
    while (message_next(&message, &field)) {
        if (field.number != 7 || !field.is_bytes)
            continue;
        found = true;
        for (size_t i = 0; i < sizeof order / sizeof *order; i++)
            if (!each(field.bytes, order[i], graph))
                return false;
    }
    return found && !message.damaged && graph->outputs > 0;
}
