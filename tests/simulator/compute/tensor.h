/* Tensor descriptors, and a view of a tensor's bytes for the operators that compute on them. */
#ifndef SIMULATOR_TENSOR_H
#define SIMULATOR_TENSOR_H

#include <stdbool.h>

#include "acl/acl_base_mdl.h"

enum { TENSOR_DIMS = 8, TENSOR_NAME = 128 };

struct shape {
    int rank;
    int64_t dims[TENSOR_DIMS];
};

struct aclTensorDesc {
    aclDataType type;
    aclFormat format;
    aclMemType place;
    struct shape shape;
    char name[TENSOR_NAME];
    void *constant; /* host copy of a constant's value, or NULL */
    size_t constant_bytes;
};

/* A tensor whose bytes the simulator may touch. */
struct view {
    aclDataType type;
    struct shape shape;
    unsigned char *bytes;
};

/* Bytes of one element; 0 for a type without a fixed whole-byte size. */
size_t elementBytes(aclDataType type);
/* 0 also for a shape that is not fixed or beyond all memory. */
int64_t elementCount(const struct shape *shape);
size_t tensorBytes(aclDataType type, const struct shape *shape);
bool sameShape(const struct shape *one, const struct shape *other);

/* One element as a number and back. `long double` holds every element type exactly where its mantissa has 64 bits. */
long double elementGet(const struct view *view, int64_t index);
void elementPut(const struct view *view, int64_t index, long double value);

#endif
