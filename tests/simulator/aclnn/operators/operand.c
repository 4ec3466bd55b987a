#include "operand.h"

#include <string.h>

/* More than any device holds: below, no product of sizes and steps leaves 64 bits. */
#define MOST_ELEMENTS ((int64_t)1 << 40)

bool typeIsComplex(aclDataType type)
{
    return type == ACL_COMPLEX64 || type == ACL_COMPLEX128 || type == ACL_COMPLEX32;
}

bool operandFits(const struct aclTensor *operand)
{
    int64_t count = 1, last = operand->offset, step;
    for (int axis = 0; axis < operand->rank; axis++) {
        int64_t size = operand->dims[axis], most = size > 1 ? size - 1 : 0;
        bool is_short = size >= 0 && operand->strides[axis] >= 0 && (size == 0 || count <= MOST_ELEMENTS / size);
        if (!is_short || __builtin_mul_overflow(most, operand->strides[axis], &step) || __builtin_add_overflow(last, step, &last)) {
            return false;
        }
        count *= size > 0 ? size : 1;
    }
    return operand->offset >= 0 && last <= MOST_ELEMENTS && (elementBytes(operand->type) > 0 || typeIsComplex(operand->type));
}

bool operandIsDense(const struct aclTensor *operand)
{
    int64_t dense = 1;
    for (int axis = operand->rank - 1; axis >= 0; axis--) {
        if (operand->dims[axis] != 1 && operand->strides[axis] != dense) {
            return false;
        }
        dense *= operand->dims[axis];
    }
    return true;
}

int64_t operandCount(const struct aclTensor *operand)
{
    int64_t count = 1;
    for (int axis = 0; axis < operand->rank; axis++) {
        count *= operand->dims[axis];
    }
    return count;
}

bool operandSameShape(const struct aclTensor *one, const struct aclTensor *other)
{
    return one->rank == other->rank && memcmp(one->dims, other->dims, sizeof *one->dims * (size_t)one->rank) == 0;
}

bool operandSpreads(const struct aclTensor *operand, const struct aclTensor *whole)
{
    for (int back = 1; back <= operand->rank; back++) {
        int64_t size = operand->dims[operand->rank - back];
        if (size != 1 && (back > whole->rank || size != whole->dims[whole->rank - back])) {
            return false;
        }
    }
    return true;
}

struct view operandView(const struct aclTensor *operand)
{
    int64_t last = operand->offset;
    for (int axis = 0; axis < operand->rank; axis++) {
        last += operand->dims[axis] > 0 ? (operand->dims[axis] - 1) * operand->strides[axis] : 0;
    }
    size_t bytes = (size_t)(last + 1) * elementBytes(operand->type);
    return (struct view){.type = operand->type, .bytes = deviceWindow(operand->data, bytes)};
}

int64_t operandPosition(const struct aclTensor *operand, const struct aclTensor *whole, int64_t index)
{
    int64_t position = operand->offset;
    for (int back = 1; back <= whole->rank; back++) {
        int64_t size = whole->dims[whole->rank - back];
        if (back <= operand->rank && operand->dims[operand->rank - back] != 1) {
            position += index % size * operand->strides[operand->rank - back];
        }
        index /= size;
    }
    return position;
}
