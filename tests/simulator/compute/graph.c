/* Shapes, places in memory, and running. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "onnx.h"
#include "operator.h"

static size_t valueBytes(const struct value *value)
{
    return tensorBytes(value->view.type, &value->view.shape);
}

/* Nodes are in an order in which each one's inputs come first; the format asks that of a file. */
static bool infer(struct graph *graph)
{
    for (int i = 0; i < graph->nodes; i++) {
        struct node *node = &graph->node[i];
        struct view in[KERNEL_TENSORS];
        for (int k = 0; k < node->inputs; k++) {
            in[k] = graph->value[node->in[k]].view;
            if (elementBytes(in[k].type) == 0) {
                return false;
            }
        }
        struct value *out = &graph->value[node->out];
        aclDataType wanted = out->view.type;
        out->view.type = ACL_DT_UNDEFINED;
        if (!node->kernel->infer(in, node->inputs, &node->attributes, &out->view)) {
            return false;
        }
        if (wanted != ACL_DT_UNDEFINED && wanted != out->view.type) {
            return false;
        }
    }
    for (int i = 0; i < graph->values; i++) {
        if (valueBytes(&graph->value[i]) == 0) {
            return false;
        }
    }
    return true;
}

static void place(struct graph *graph)
{
    for (int i = 0; i < graph->values; i++) {
        struct value *value = &graph->value[i];
        if (value->role != ROLE_WEIGHT && value->role != ROLE_WORK) {
            continue;
        }
        size_t *end = value->role == ROLE_WEIGHT ? &graph->weight_bytes : &graph->work_bytes;
        value->offset = *end;
        *end += (valueBytes(value) + GRAPH_ALIGNMENT - 1) / GRAPH_ALIGNMENT * GRAPH_ALIGNMENT;
    }
    /* Never empty: a caller allocates what aclmdlQuerySize answers, and 0 bytes cannot be allocated. */
    graph->work_bytes += GRAPH_ALIGNMENT;
    graph->weight_bytes += GRAPH_ALIGNMENT;
}

struct graph *graphRead(const void *model, size_t length)
{
    struct graph *graph = calloc(1, sizeof *graph);
    if (graph == NULL || !onnxRead(graph, model, length) || !infer(graph)) {
        graphFree(graph);
        return NULL;
    }
    place(graph);
    return graph;
}

void graphFree(struct graph *graph)
{
    if (graph == NULL) {
        return;
    }
    for (int i = 0; i < graph->values; i++) {
        free(graph->value[i].view.bytes);
    }
    free(graph);
}

static const struct value *at(const struct graph *graph, enum role role, size_t position)
{
    for (int i = 0; i < graph->values; i++) {
        if (graph->value[i].role == role && (size_t)graph->value[i].position == position) {
            return &graph->value[i];
        }
    }
    return NULL;
}

const struct value *graphInput(const struct graph *graph, size_t position)
{
    return at(graph, ROLE_INPUT, position);
}

const struct value *graphOutput(const struct graph *graph, size_t position)
{
    return at(graph, ROLE_OUTPUT, position);
}

void graphWriteWeights(const struct graph *graph, void *block)
{
    for (int i = 0; i < graph->values; i++) {
        if (graph->value[i].role == ROLE_WEIGHT) {
            memcpy((char *)block + graph->value[i].offset, graph->value[i].view.bytes, valueBytes(&graph->value[i]));
        }
    }
}

static struct view reach(const struct value *value, void *work, void *weights, void *const inputs[],
                         void *const outputs[])
{
    char *address = value->role == ROLE_INPUT    ? inputs[value->position]
                    : value->role == ROLE_OUTPUT ? outputs[value->position]
                    : value->role == ROLE_WEIGHT ? (char *)weights + value->offset
                                                 : (char *)work + value->offset;
    struct view view = value->view;
    view.bytes = deviceWindow(address, valueBytes(value));
    return view;
}

aclError graphRun(const struct graph *graph, void *work, void *weights, void *const inputs[], void *const outputs[])
{
    for (int i = 0; i < graph->nodes; i++) {
        const struct node *node = &graph->node[i];
        struct view in[KERNEL_TENSORS];
        for (int k = 0; k < node->inputs; k++) {
            in[k] = reach(&graph->value[node->in[k]], work, weights, inputs, outputs);
            if (in[k].bytes == NULL) {
                return ACL_ERROR_RT_AICORE_EXCEPTION;
            }
        }
        struct view out = reach(&graph->value[node->out], work, weights, inputs, outputs);
        if (out.bytes == NULL) {
            return ACL_ERROR_RT_AICORE_EXCEPTION;
        }
        node->kernel->compute(in, node->inputs, &node->attributes, &out);
    }
    return ACL_SUCCESS;
}
