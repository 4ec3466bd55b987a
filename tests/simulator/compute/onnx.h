/* Reading an ONNX file into a graph's values and nodes, before shapes are inferred. */
#ifndef SIMULATOR_ONNX_H
#define SIMULATOR_ONNX_H

#include "graph.h"
#include "protobuf.h"

bool onnxRead(struct graph *graph, const void *model, size_t length);
/* Whether bytes are a whole message with a graph in it, with any content. */
bool onnxIsModel(const void *model, size_t length);
/* The value of that name, added when it is new; -1 when there is no room. */
int graphValue(struct graph *graph, const char *name);

/* The format's number for an element type; ACL_DT_UNDEFINED for one that is not computed with. */
aclDataType onnxType(uint64_t number);
bool onnxDim(struct shape *shape, uint64_t size);
/* TensorProto: type, shape and elements, which are the caller's to free even when it fails. */
bool onnxTensor(struct message tensor, char *name, struct view *view);

#endif
