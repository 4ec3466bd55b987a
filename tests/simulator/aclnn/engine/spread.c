#include "spread.h"

#include <stdlib.h>
#include <string.h>

#include "half.h"

bool typeIsReal(aclDataType type)
{
    return type == ACL_FLOAT || type == ACL_FLOAT16 || type == ACL_BF16 || type == ACL_DOUBLE;
}

bool typeIsKnown(aclDataType type)
{
    switch (type) {
    case ACL_INT8:
    case ACL_INT16:
    case ACL_INT32:
    case ACL_INT64:
    case ACL_UINT8:
    case ACL_UINT16:
    case ACL_UINT32:
    case ACL_UINT64:
    case ACL_BOOL:
        return true;
    default:
        return typeIsReal(type);
    }
}

/* Merges axes that one stride walks through, and drops those of size 1. */
static void merge(struct spread *spread)
{
    int kept = 0;
    for (int axis = 0; axis < spread->rank; axis++) {
        int64_t size = spread->dims[axis], stride = spread->strides[axis];
        if (size == 1) {
            continue;
        }
        if (kept > 0 && spread->strides[kept - 1] == size * stride) {
            spread->dims[kept - 1] *= size;
            spread->strides[kept - 1] = stride;
            continue;
        }
        spread->dims[kept] = size;
        spread->strides[kept++] = stride;
    }
    if (kept == 0) {
        spread->dims[kept] = 1;
        spread->strides[kept++] = 1;
    }
    spread->rank = kept;
}

static bool finish(struct spread *spread, const struct aclTensor *tensor)
{
    spread->type = tensor->type;
    spread->offset = tensor->offset;
    spread->count = 1;
    for (int axis = 0; axis < spread->rank; axis++) {
        spread->count *= spread->dims[axis];
    }
    if (spread->count == 0) {
        return true;
    }
    spread->bytes = operandView(tensor).bytes;
    merge(spread);
    return spread->bytes != NULL;
}

bool spreadOver(struct spread *spread, const struct aclTensor *tensor, int rank, const int64_t *dims)
{
    *spread = (struct spread){.rank = rank};
    for (int axis = 0; axis < rank; axis++) {
        int own = axis - rank + tensor->rank;
        spread->dims[axis] = dims[axis];
        if (own >= 0 && tensor->dims[own] != 1 && tensor->dims[own] != dims[axis]) {
            return false;
        }
        spread->strides[axis] = own < 0 || tensor->dims[own] == 1 ? 0 : tensor->strides[own];
    }
    return finish(spread, tensor);
}

bool spreadOf(struct spread *spread, const struct aclTensor *tensor)
{
    return spreadOver(spread, tensor, tensor->rank, tensor->dims);
}

bool spreadOrdered(struct spread *spread, const struct aclTensor *tensor, const int *order)
{
    *spread = (struct spread){.rank = tensor->rank};
    for (int axis = 0; axis < tensor->rank; axis++) {
        spread->dims[axis] = tensor->dims[order[axis]];
        spread->strides[axis] = tensor->strides[order[axis]];
    }
    return finish(spread, tensor);
}

/* Where a run of elements is, one stride apart. */
struct run {
    unsigned char *first;
    int64_t stride, count;
};

/* What remains of the elements from `start` on. */
struct walk {
    const struct spread *spread;
    int64_t index[RANK], position, left;
    size_t size;
};

static struct walk walkFrom(const struct spread *spread, int64_t start, int64_t count)
{
    int64_t most = spread->count - start;
    struct walk walk = {.spread = spread, .position = spread->offset, .left = count < most ? count : most};
    walk.size = elementBytes(spread->type);
    if (walk.left <= 0) {
        walk.left = 0;
        return walk;
    }
    for (int axis = spread->rank - 1; axis >= 0; axis--) {
        walk.index[axis] = axis == 0 ? start : start % spread->dims[axis];
        start /= spread->dims[axis];
        walk.position += walk.index[axis] * spread->strides[axis];
    }
    return walk;
}

static bool next(struct walk *walk, struct run *run)
{
    if (walk->left == 0) {
        return false;
    }
    const struct spread *spread = walk->spread;
    int last = spread->rank - 1;
    int64_t count = spread->dims[last] - walk->index[last];
    count = count < walk->left ? count : walk->left;
    run->first = spread->bytes + walk->position * (int64_t)walk->size;
    run->stride = spread->strides[last];
    run->count = count;
    walk->left -= count;
    walk->position += count * run->stride;
    walk->index[last] += count;
    for (int axis = last; axis > 0 && walk->index[axis] == spread->dims[axis]; axis--) {
        walk->position += spread->strides[axis - 1] - spread->dims[axis] * spread->strides[axis];
        walk->index[axis] = 0;
        walk->index[axis - 1]++;
    }
    return true;
}

#define PLAIN(value) (value)
#define IS_SET(value) ((value) != 0)
#define EACH(ctype, body) \
    do { \
        ctype *at = (ctype *)run.first; \
        if (run.stride == 1) { \
            for (int64_t i = 0; i < run.count; i++, at++) { \
                body; \
            } \
        } else { \
            for (int64_t i = 0; i < run.count; i++, at += run.stride) { \
                body; \
            } \
        } \
    } while (0); \
    break

/* Readers and writers of each type, with what turns an element into a value and back. */
#define WHOLE_TYPES(DO) \
    case ACL_INT8: DO(int8_t, PLAIN); \
    case ACL_UINT8: DO(uint8_t, PLAIN); \
    case ACL_INT16: DO(int16_t, PLAIN); \
    case ACL_UINT16: DO(uint16_t, PLAIN); \
    case ACL_INT32: DO(int32_t, PLAIN); \
    case ACL_UINT32: DO(uint32_t, PLAIN); \
    case ACL_INT64: DO(int64_t, PLAIN); \
    case ACL_UINT64: DO(uint64_t, PLAIN); \
    case ACL_BOOL: DO(uint8_t, IS_SET);

#define TAKE(name, value_type, to_value) \
    void name(const struct spread *from, int64_t start, int64_t count, value_type *into) \
    { \
        struct walk walk = walkFrom(from, start, count); \
        struct run run; \
        while (next(&walk, &run)) { \
            switch (from->type) { \
                WHOLE_TYPES(TAKE_ONE) \
            case ACL_FLOAT: TAKE_REAL(float, PLAIN, to_value); \
            case ACL_DOUBLE: TAKE_REAL(double, PLAIN, to_value); \
            case ACL_FLOAT16: TAKE_REAL(uint16_t, fromHalf, to_value); \
            case ACL_BF16: TAKE_REAL(uint16_t, fromBrain, to_value); \
            default: break; \
            } \
            into += run.count; \
        } \
    }
#define TAKE_ONE(ctype, conversion) EACH(ctype, into[i] = (__typeof__(*into))conversion(*at))
#define TAKE_REAL(ctype, conversion, to_value) EACH(ctype, into[i] = (__typeof__(*into))to_value(conversion(*at)))

#define PUT(name, value_type, to_whole) \
    void name(const struct spread *to, int64_t start, int64_t count, const value_type *values) \
    { \
        struct walk walk = walkFrom(to, start, count); \
        struct run run; \
        while (next(&walk, &run)) { \
            switch (to->type) { \
            case ACL_BOOL: EACH(uint8_t, *at = values[i] != 0); \
            case ACL_INT8: \
            case ACL_UINT8: EACH(uint8_t, *at = (uint8_t)to_whole(values[i])); \
            case ACL_INT16: \
            case ACL_UINT16: EACH(uint16_t, *at = (uint16_t)to_whole(values[i])); \
            case ACL_INT32: \
            case ACL_UINT32: EACH(uint32_t, *at = (uint32_t)to_whole(values[i])); \
            case ACL_INT64: \
            case ACL_UINT64: EACH(int64_t, *at = to_whole(values[i])); \
            case ACL_FLOAT: EACH(float, *at = (float)values[i]); \
            case ACL_DOUBLE: EACH(double, *at = (double)values[i]); \
            case ACL_FLOAT16: EACH(uint16_t, *at = toHalf((float)values[i])); \
            case ACL_BF16: EACH(uint16_t, *at = toBrain((float)values[i])); \
            default: break; \
            } \
            values += run.count; \
        } \
    }

TAKE(takeReals, double, PLAIN)
TAKE(takeFloats, float, PLAIN)
TAKE(takeIntegers, int64_t, wholeOf)

PUT(putReals, double, wholeOf)
PUT(putFloats, float, wholeOf)
PUT(putIntegers, int64_t, PLAIN)

#define ALL_OF(name, value_type, take) \
    value_type *name(const struct aclTensor *tensor) \
    { \
        struct spread spread; \
        if (!spreadOf(&spread, tensor)) { \
            return NULL; \
        } \
        value_type *values = malloc(((size_t)spread.count + 1) * sizeof *values); \
        if (values != NULL && spread.count > 0) { \
            take(&spread, 0, spread.count, values); \
        } \
        return values; \
    }
ALL_OF(realsOf, double, takeReals)
ALL_OF(floatsOf, float, takeFloats)
ALL_OF(integersOf, int64_t, takeIntegers)

#define STORE(name, value_type, put) \
    aclError name(const struct aclTensor *tensor, const value_type *values) \
    { \
        struct spread spread; \
        if (!spreadOf(&spread, tensor)) { \
            return ACL_ERROR_RT_AICORE_EXCEPTION; \
        } \
        if (spread.count > 0) { \
            put(&spread, 0, spread.count, values); \
        } \
        return ACL_SUCCESS; \
    }
STORE(storeReals, double, putReals)
STORE(storeFloats, float, putFloats)
STORE(storeIntegers, int64_t, putIntegers)
