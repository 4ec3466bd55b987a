/* A model that computes: values, and the operators that make one from others, read from an ONNX file with fixed shapes.
 *
 * Weights and intermediate values lie in two blocks of device memory, each at its own offset. */
#ifndef SIMULATOR_GRAPH_H
#define SIMULATOR_GRAPH_H

#include "kernel.h"

enum { GRAPH_VALUES = 1024, GRAPH_NODES = 512, GRAPH_ALIGNMENT = 64 };

enum role { ROLE_INPUT, ROLE_OUTPUT, ROLE_WEIGHT, ROLE_WORK };

struct value {
    char name[TENSOR_NAME];
    enum role role;
    struct view view; /* bytes: a weight's value, in host memory */
    size_t offset;    /* of a weight or an intermediate value in its block */
    int position;     /* of an input or an output in the caller's list */
};

struct node {
    const struct kernel *kernel;
    aclopAttr attributes;
    int inputs;
    int in[KERNEL_TENSORS];
    int out;
};

struct graph {
    int values, nodes, inputs, outputs;
    struct value value[GRAPH_VALUES];
    struct node node[GRAPH_NODES];
    size_t work_bytes, weight_bytes;
};

/* NULL when this is no ONNX model, or one with an operator, a shape or a size that the simulator does not have. */
struct graph *graphRead(const void *model, size_t length);
void graphFree(struct graph *graph);

const struct value *graphInput(const struct graph *graph, size_t position);
const struct value *graphOutput(const struct graph *graph, size_t position);

/* One block with every weight at its offset. */
void graphWriteWeights(const struct graph *graph, void *block);

/* Runs it, on the device's side. The addresses are the device's; looked up as each operator runs. */
aclError graphRun(const struct graph *graph, void *work, void *weights, void *const inputs[], void *const outputs[]);

#endif
