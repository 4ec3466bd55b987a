/* Element types: their sizes, and one element as a number. */
#include <math.h>
#include <string.h>

#include "bf16.h"
#include "tensor.h"

size_t elementBytes(aclDataType type)
{
    switch (type) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL: return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16: return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32: return 4;
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64: return 8;
    default: return 0;
    }
}

int64_t elementCount(const struct shape *shape)
{
    const int64_t most = (int64_t)1 << 40;
    int64_t count = 1;
    for (int axis = 0; axis < shape->rank; axis++) {
        int64_t size = shape->dims[axis];
        if (size < 0 || (size > 0 && count > most / size)) {
            return 0;
        }
        count *= size;
    }
    return count;
}

size_t tensorBytes(aclDataType type, const struct shape *shape)
{
    return elementBytes(type) * (size_t)elementCount(shape);
}

bool sameShape(const struct shape *one, const struct shape *other)
{
    return one->rank == other->rank && memcmp(one->dims, other->dims, sizeof(int64_t) * (size_t)one->rank) == 0;
}

#define READ(kind) \
    do { \
        kind element; \
        memcpy(&element, at, sizeof element); \
        return (long double)element; \
    } while (0)

long double elementGet(const struct view *view, int64_t index)
{
    const unsigned char *at = view->bytes + (size_t)index * elementBytes(view->type);
    uint16_t half;
    switch (view->type) {
    case ACL_FLOAT: READ(float);
    case ACL_DOUBLE: READ(double);
    case ACL_INT8: READ(int8_t);
    case ACL_UINT8: READ(uint8_t);
    case ACL_BOOL: READ(uint8_t);
    case ACL_INT16: READ(int16_t);
    case ACL_UINT16: READ(uint16_t);
    case ACL_INT32: READ(int32_t);
    case ACL_UINT32: READ(uint32_t);
    case ACL_INT64: READ(int64_t);
    case ACL_UINT64: READ(uint64_t);
    case ACL_FLOAT16: memcpy(&half, at, sizeof half); return aclFloat16ToFloat(half);
    case ACL_BF16: memcpy(&half, at, sizeof half); return bf16ToFloat(half);
    default: return 0;
    }
}

/* What does not fit 64 bits becomes the nearest number that does; no number becomes 0. */
static int64_t whole(long double value)
{
    if (isnan(value)) {
        return 0;
    }
    return value >= 0x1p63L ? INT64_MAX : value <= -0x1p63L ? INT64_MIN : (int64_t)value;
}

static uint64_t wholeUnsigned(long double value)
{
    return value >= 0x1p64L ? UINT64_MAX : value >= 0x1p63L ? (uint64_t)value : (uint64_t)whole(value);
}

#define WRITE(kind, number) \
    do { \
        kind element = (kind)(number); \
        memcpy(at, &element, sizeof element); \
        return; \
    } while (0)

void elementPut(const struct view *view, int64_t index, long double value)
{
    unsigned char *at = view->bytes + (size_t)index * elementBytes(view->type);
    switch (view->type) {
    case ACL_FLOAT: WRITE(float, value);
    case ACL_DOUBLE: WRITE(double, value);
    case ACL_BOOL: WRITE(uint8_t, value != 0);
    /* Integers wrap: through 64 bits, so that the narrowing is defined. */
    case ACL_INT8: WRITE(int8_t, whole(value));
    case ACL_UINT8: WRITE(uint8_t, whole(value));
    case ACL_INT16: WRITE(int16_t, whole(value));
    case ACL_UINT16: WRITE(uint16_t, whole(value));
    case ACL_INT32: WRITE(int32_t, whole(value));
    case ACL_UINT32: WRITE(uint32_t, whole(value));
    case ACL_INT64: WRITE(int64_t, whole(value));
    case ACL_UINT64: WRITE(uint64_t, wholeUnsigned(value));
    case ACL_FLOAT16: WRITE(uint16_t, aclFloatToFloat16((float)value));
    case ACL_BF16: WRITE(uint16_t, floatToBf16((float)value));
    default: return;
    }
}
