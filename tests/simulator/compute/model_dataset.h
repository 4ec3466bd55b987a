/* Datasets: lists of data buffers, and a descriptor for each that has one. */
#ifndef SIMULATOR_MODEL_DATASET_H
#define SIMULATOR_MODEL_DATASET_H

#include "acl/acl_mdl.h"
#include "tensor.h"

struct aclmdlDataset {
    size_t count, room;
    struct dataset_entry {
        aclDataBuffer *buffer;
        aclTensorDesc *desc; /* a copy */
    } *entries;
};

#endif
