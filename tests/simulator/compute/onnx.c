/* ONNX messages. Field numbers are those of the format's public schema. */
#include "onnx.h"

#include <stdlib.h>
#include <string.h>

int graphValue(struct graph *graph, const char *name)
{
    for (int i = 0; i < graph->values; i++) {
        if (strcmp(graph->value[i].name, name) == 0) {
            return i;
        }
    }
    if (graph->values == GRAPH_VALUES) {
        return -1;
    }
    struct value *value = &graph->value[graph->values];
    memset(value, 0, sizeof *value);
    memcpy(value->name, name, strnlen(name, TENSOR_NAME - 1));
    value->role = ROLE_WORK;
    value->view.type = ACL_DT_UNDEFINED;
    return graph->values++;
}

static bool addWeight(struct graph *graph, struct message tensor, const char *called)
{
    char name[TENSOR_NAME] = "";
    struct view view;
    if (!onnxTensor(tensor, name, &view)) {
        free(view.bytes);
        return false;
    }
    int index = graphValue(graph, called == NULL ? name : called);
    if (index < 0 || graph->value[index].view.bytes != NULL) {
        free(view.bytes);
        return false;
    }
    graph->value[index].role = ROLE_WEIGHT;
    graph->value[index].view = view;
    return true;
}

/* TypeProto.Tensor and its shape; a dimension without a number is not fixed. */
static bool readType(struct message type, struct view *view)
{
    struct field field, dim;
    while (messageNext(&type, &field)) {
        if (field.number == 1 && field.is_bytes) { /* tensor_type */
            return readType(field.bytes, view);
        }
        if (field.number == 1) {
            view->type = onnxType(field.value);
        }
        if (field.number != 2) {
            continue;
        }
        view->shape.rank = 0;
        while (messageNext(&field.bytes, &dim)) {
            struct message size = dim.bytes;
            struct field number;
            if (!messageNext(&size, &number) || number.number != 1 || !onnxDim(&view->shape, number.value)) {
                return false;
            }
        }
    }
    return true;
}

static bool addEnd(struct graph *graph, struct message info, enum role role)
{
    char name[TENSOR_NAME] = "";
    struct message type = {0};
    struct field field;
    while (messageNext(&info, &field)) {
        if (field.number == 1) {
            fieldText(&field, name, sizeof name);
        }
        if (field.number == 2) {
            type = field.bytes;
        }
    }
    int index = graphValue(graph, name);
    if (index < 0) {
        return false;
    }
    struct value *value = &graph->value[index];
    if (value->role == ROLE_WEIGHT) { /* older files list weights among the inputs */
        return role == ROLE_INPUT;
    }
    value->role = role;
    value->position = role == ROLE_INPUT ? graph->inputs++ : graph->outputs++;
    struct view given = {ACL_DT_UNDEFINED, {0}, NULL};
    if (!readType(type, &given) && role == ROLE_INPUT) {
        return false;
    }
    value->view.type = given.type;
    value->view.shape = role == ROLE_INPUT ? given.shape : (struct shape){0};
    return true;
}

static bool readAttribute(struct message attribute, aclopAttr *attributes, struct message *tensor)
{
    char name[ATTRIBUTE_NAME] = "";
    int64_t integers[ATTRIBUTE_VALUES];
    float number = 0;
    int count = 0;
    bool isFloat = false;
    struct field field;
    while (messageNext(&attribute, &field)) {
        if (field.number == 1) {
            fieldText(&field, name, sizeof name);
        }
        if (field.number == 2) {
            number = fieldFloat(&field);
            isFloat = true;
        }
        if (field.number == 5) {
            *tensor = field.bytes;
        }
        if (field.number == 3 || field.number == 8) {
            struct message list = field.bytes;
            uint64_t value = field.value;
            while ((!field.is_bytes || packedNext(&list, &value)) && count < ATTRIBUTE_VALUES) {
                integers[count++] = (int64_t)value;
                if (!field.is_bytes) {
                    break;
                }
            }
        }
    }
    if (attribute.damaged) {
        return false;
    }
    return (isFloat ? aclopSetAttrFloat(attributes, name, number)
                     : aclopSetAttrListInt(attributes, name, count, integers)) == ACL_SUCCESS;
}

static bool addNode(struct graph *graph, struct message message)
{
    char type[TENSOR_NAME] = "", name[TENSOR_NAME];
    struct message constant = {0};
    struct node node = {.out = -1};
    struct field field;
    while (messageNext(&message, &field)) {
        if (field.number == 1 || field.number == 2) {
            fieldText(&field, name, sizeof name);
        }
        if (field.number == 1 &&
            (node.inputs == KERNEL_TENSORS || (node.in[node.inputs++] = graphValue(graph, name)) < 0)) {
            return false;
        }
        if (field.number == 2 && node.out < 0 && (node.out = graphValue(graph, name)) < 0) {
            return false;
        }
        if (field.number == 4) {
            fieldText(&field, type, sizeof type);
        }
        if (field.number == 5 && !readAttribute(field.bytes, &node.attributes, &constant)) {
            return false;
        }
    }
    if (message.damaged || node.out < 0) {
        return false;
    }
    if (strcmp(type, "Constant") == 0) {
        return messageLength(&constant) > 0 && addWeight(graph, constant, graph->value[node.out].name);
    }
    node.kernel = kernelFind(type);
    if (node.kernel == NULL || node.inputs < node.kernel->inputs || graph->nodes == GRAPH_NODES) {
        return false;
    }
    graph->node[graph->nodes++] = node;
    return true;
}

static bool each(struct message graph_message, uint32_t number, struct graph *graph)
{
    struct field field;
    while (messageNext(&graph_message, &field)) {
        if (field.number != number) {
            continue;
        }
        bool fits = number == 5    ? addWeight(graph, field.bytes, NULL)
                    : number == 11 ? addEnd(graph, field.bytes, ROLE_INPUT)
                    : number == 12 ? addEnd(graph, field.bytes, ROLE_OUTPUT)
                                   : addNode(graph, field.bytes);
        if (!fits) {
            return false;
        }
    }
    return !graph_message.damaged;
}

/* Weights first, since older files repeat them as inputs; nodes last, since they name all the rest. */
bool onnxRead(struct graph *graph, const void *model, size_t length)
{
    static const uint32_t order[] = {5, 11, 12, 1};
    struct message message = messageOf(model, length);
    struct field field;
    bool found = false;
    while (messageNext(&message, &field)) {
        if (field.number != 7 || !field.is_bytes) {
            continue;
        }
        found = true;
        for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
            if (!each(field.bytes, order[i], graph)) {
                return false;
            }
        }
    }
    return found && !message.damaged && graph->outputs > 0;
}

bool onnxIsModel(const void *model, size_t length)
{
    struct message message = messageOf(model, length);
    struct field field;
    bool found = false;
    while (messageNext(&message, &field)) {
        found |= field.number == 7 && field.is_bytes;
    }
    return found && !message.damaged;
}
