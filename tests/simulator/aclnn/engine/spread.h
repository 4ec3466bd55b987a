/* A tensor's elements in the order of a shape: broadcast to it, with its axes permuted, read and written in runs. */
#ifndef SIMULATOR_ACLNN_SPREAD_H
#define SIMULATOR_ACLNN_SPREAD_H

#include "../operators/operand.h"

/* Elements that are read, computed and written at a time. */
enum { CHUNK = 1024 };

struct spread {
    aclDataType type;
    int rank; /* after neighboring axes have been merged */
    int64_t dims[RANK], strides[RANK];
    int64_t offset, count;
    unsigned char *bytes;
};

/* A real number beyond a 64-bit integer has no defined conversion: it is bounded first. Not-a-number is 0. */
static inline int64_t wholeOf(double value)
{
    if (value != value) {
        return 0;
    }
    return value >= 0x1p63 ? INT64_MAX : value <= -0x1p63 ? INT64_MIN : (int64_t)value;
}

bool typeIsReal(aclDataType type);
/* Types that the engine reads and writes: no complex ones, none below a byte. */
bool typeIsKnown(aclDataType type);

/* False if an address is unmapped. A tensor without elements has no address. */
bool spreadOf(struct spread *spread, const struct aclTensor *tensor);
/* Broadcast to the shape. */
bool spreadOver(struct spread *spread, const struct aclTensor *tensor, int rank, const int64_t *dims);
/* With `order[i]` of the tensor's axes at place i. */
bool spreadOrdered(struct spread *spread, const struct aclTensor *tensor, const int *order);

void takeReals(const struct spread *from, int64_t start, int64_t count, double *into);
void takeIntegers(const struct spread *from, int64_t start, int64_t count, int64_t *into);
void putReals(const struct spread *to, int64_t start, int64_t count, const double *values);
void putIntegers(const struct spread *to, int64_t start, int64_t count, const int64_t *values);
/* Single precision, for matrix products. */
void takeFloats(const struct spread *from, int64_t start, int64_t count, float *into);
void putFloats(const struct spread *to, int64_t start, int64_t count, const float *values);

/* All elements in memory of their own, which the caller frees; NULL if unmapped or without memory. */
double *realsOf(const struct aclTensor *tensor);
int64_t *integersOf(const struct aclTensor *tensor);
float *floatsOf(const struct aclTensor *tensor);
aclError storeReals(const struct aclTensor *tensor, const double *values);
aclError storeFloats(const struct aclTensor *tensor, const float *values);
aclError storeIntegers(const struct aclTensor *tensor, const int64_t *values);

#endif
