/* Reading an ONNX file into a graph's values and nodes, before shapes are inferred. */
#ifndef SIMULATOR_ONNX_H
#define SIMULATOR_ONNX_H

#include "graph.h"

bool onnx_read(struct graph *graph, const void *model, size_t length);
/* The value of that name, added when it is new; -1 when there is no room. */
int graph_value(struct graph *graph, const char *name);

#endif
