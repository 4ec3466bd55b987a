/* One execution of a model. */
#ifndef SIMULATOR_MODEL_EXECUTE_H
#define SIMULATOR_MODEL_EXECUTE_H

#include "model.h"
#include "model_dataset.h"

struct execution {
    struct model *model;
    struct offline_buffer *inputs, *outputs;
};

struct aclmdlExecConfigHandle {
    int32_t stream_timeout, event_timeout; /* milliseconds; -1: without end */
};

/* model_shapes.c, of a model with open shapes: whether the inputs fit, and how many bytes each end has this time. */
aclError shapesCheck(struct execution *execution, const aclmdlDataset *input, const aclmdlDataset *output);
/* Whether the outputs have room; each gets a descriptor with its shape. */
aclError shapesAnswer(const struct execution *execution, aclmdlDataset *output);

#endif
