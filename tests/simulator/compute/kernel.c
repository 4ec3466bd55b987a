/* Finding an operator, and the broadcasting rule that several share. */
#include "kernel.h"

#include <string.h>

const struct kernel *kernelFind(const char *name)
{
    const struct kernel *families[] = {elementwise_kernels, matrix_kernels, shape_kernels, norm_kernels, mean_kernels};
    for (size_t family = 0; family < sizeof families / sizeof *families; family++) {
        for (const struct kernel *kernel = families[family]; kernel->name != NULL; kernel++) {
            if (strcmp(kernel->name, name) == 0) {
                return kernel;
            }
        }
    }
    return NULL;
}

const struct wide_kernel *wideKernelFind(const char *name)
{
    for (const struct wide_kernel *kernel = recurrent_kernels; kernel->name != NULL; kernel++) {
        if (strcmp(kernel->name, name) == 0) {
            return kernel;
        }
    }
    return NULL;
}

bool broadcastShape(const struct shape *one, const struct shape *other, struct shape *result)
{
    result->rank = one->rank > other->rank ? one->rank : other->rank;
    for (int back = 1; back <= result->rank; back++) {
        int64_t left = back <= one->rank ? one->dims[one->rank - back] : 1;
        int64_t right = back <= other->rank ? other->dims[other->rank - back] : 1;
        if (left != right && left != 1 && right != 1) {
            return false;
        }
        result->dims[result->rank - back] = left == 1 ? right : left;
    }
    return true;
}

int64_t broadcastIndex(const struct shape *operand, const struct shape *whole, int64_t index)
{
    int64_t position = 0;
    int64_t stride = 1;
    for (int back = 1; back <= operand->rank; back++) {
        int64_t size = whole->dims[whole->rank - back];
        int64_t along = index % size;
        index /= size;
        if (operand->dims[operand->rank - back] != 1) {
            position += along * stride;
        }
        stride *= operand->dims[operand->rank - back];
    }
    return position;
}
