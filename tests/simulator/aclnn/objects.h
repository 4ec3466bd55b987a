/* Tensors, values and plans, as libnnopbase.so makes them and libopapi.so reads them. */
#ifndef SIMULATOR_ACLNN_OBJECTS_H
#define SIMULATOR_ACLNN_OBJECTS_H

#include <stdbool.h>

#include "../engine.h"
#include "aclnn/acl_meta.h"

enum { RANK = 8, OPERANDS = 4, ARRAY = 8 };

struct aclTensor {
    aclDataType type;
    aclFormat format;
    int rank, storage_rank;
    int64_t dims[RANK], strides[RANK], storage_dims[RANK];
    int64_t offset;
    void *data;
};

struct aclTensorList {
    uint64_t count;
    const aclTensor *tensors[];
};

struct aclScalar {
    aclDataType type;
    unsigned char bytes[16];
};

struct aclIntArray {
    uint64_t count;
    int64_t values[ARRAY];
};

/* One operator's pending work, and its part that is queued on a stream. */
struct plan {
    aclError (*compute)(const struct plan *plan);
    uint64_t need; /* bytes of workspace */
    int count;     /* of the operands */
    struct aclTensor operands[OPERANDS];
    const aclTensor *tensors[OPERANDS]; /* whose addresses may be set anew */
    double numbers[4];
    void *workspace;
};

struct aclOpExecutor {
    struct plan plan;
    bool is_repeatable, is_generated;
};

/* Holds the executor while phase one makes its plan; NULL without memory. */
struct unique_executor {
    const char *function;
    aclOpExecutor *executor;
};

/* Whether the object is live: destroyed ones may still be passed in and must not be accessed. */
ACLSIM_ENTRY bool aclsimIsObject(const void *object);
/* Ends an object that was never returned. */
ACLSIM_ENTRY void aclsimEndObject(const void *object);

#endif
