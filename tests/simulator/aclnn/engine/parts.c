/* Parts of tensors, tensors with their axes exchanged, and sums of tensors. */
#include <stdlib.h>

#include "operator.h"

static aclError copyOrdered(const struct aclTensor *from, const int *order, const struct aclTensor *to)
{
    struct spread in, out;
    if (!spreadOrdered(&in, from, order) || !spreadOf(&out, to)) {
        return UNMAPPED;
    }
    double reals[CHUNK];
    int64_t wholes[CHUNK];
    for (int64_t at = 0; at < out.count; at += CHUNK) {
        int64_t count = out.count - at < CHUNK ? out.count - at : CHUNK;
        if (typeIsReal(in.type)) {
            takeReals(&in, at, count, reals);
            putReals(&out, at, count, reals);
        } else {
            takeIntegers(&in, at, count, wholes);
            putIntegers(&out, at, count, wholes);
        }
    }
    return ACL_SUCCESS;
}

static void orderOf(const struct plan *plan, int order[RANK])
{
    for (int i = 0; i < countAt(plan, 1); i++) {
        order[i] = axisOf(integersAt(plan, 1)[i], tensorAt(plan, 0)->rank);
    }
}

/* tensor, axes, result */
static aclError permute(const struct plan *plan)
{
    int order[RANK] = {0};
    orderOf(plan, order);
    return copyOrdered(tensorAt(plan, 0), order, tensorAt(plan, 2));
}

/* Each axis once, and the result's sizes in this order. Axes are in range. */
static bool permuteFits(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 2);
    int order[RANK] = {0}, seen = 0;
    bool fits = countAt(plan, 1) == in->rank && out->rank == in->rank;
    if (fits) {
        orderOf(plan, order);
    }
    for (int i = 0; fits && i < in->rank; i++) {
        fits = (seen >> order[i] & 1) == 0 && out->dims[i] == in->dims[order[i]];
        seen |= 1 << order[i];
    }
    return fits || refuse("argument 3 of shape %s is not argument 1 of shape %s with its axes exchanged", shapeText(out), shapeText(in));
}

/* Bounds count from the end if they are negative, and stop at both ends. */
static int64_t bounded(int64_t number, int64_t size)
{
    number += number < 0 ? size : 0;
    return number < 0 ? 0 : number > size ? size : number;
}

/* tensor, axis, start, end, step, result */
static struct aclTensor sliced(const struct plan *plan)
{
    struct aclTensor part = *tensorAt(plan, 0);
    int axis = axisOf(integerAt(plan, 1), part.rank);
    int64_t start = bounded(integerAt(plan, 2), part.dims[axis]), end = bounded(integerAt(plan, 3), part.dims[axis]), step = integerAt(plan, 4);
    part.offset += start * part.strides[axis];
    part.dims[axis] = end > start ? (end - start + step - 1) / step : 0;
    part.strides[axis] *= step;
    return part;
}

static aclError slice(const struct plan *plan)
{
    static const int order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct aclTensor part = sliced(plan);
    return copyOrdered(&part, order, tensorAt(plan, 5));
}

static bool sliceFits(const struct plan *plan)
{
    struct aclTensor part = sliced(plan);
    return operandSameShape(tensorAt(plan, 5), &part) || refuse("argument 6 of shape %s is not the slice of shape %s", shapeText(tensorAt(plan, 5)), shapeText(&part));
}

/* list, result */
static aclError sum(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 1);
    int64_t count = operandCount(out);
    double *sums = calloc((size_t)count + 1, sizeof *sums);
    bool is_ready = sums != NULL;
    for (int i = 0; is_ready && i < countAt(plan, 0); i++) {
        double *values = realsOf(listedAt(plan, 0, i));
        is_ready = values != NULL;
        for (int64_t k = 0; is_ready && k < count; k++) {
            sums[k] += values[k];
        }
        free(values);
    }
    aclError code = is_ready ? storeReals(out, sums) : UNMAPPED;
    free(sums);
    return code;
}

/* column, row, result */
static aclError outer(const struct plan *plan)
{
    int64_t rows = operandCount(tensorAt(plan, 0)), columns = operandCount(tensorAt(plan, 1));
    double *left = realsOf(tensorAt(plan, 0)), *right = realsOf(tensorAt(plan, 1)), *products = malloc(((size_t)(rows * columns) + 1) * sizeof *products);
    bool is_ready = left && right && products;
    for (int64_t i = 0; is_ready && i < rows * columns; i++) {
        products[i] = left[i / columns] * right[i % columns];
    }
    aclError code = is_ready ? storeReals(tensorAt(plan, 2), products) : UNMAPPED;
    free(left);
    free(right);
    free(products);
    return code;
}

static bool outerFits(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 2);
    return out->dims[0] == operandCount(tensorAt(plan, 0)) && out->dims[1] == operandCount(tensorAt(plan, 1));
}

#define ROW(operator, letters, function, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__))
#define SHAPES "the shapes do not fit together"

const struct operator_row partRows[] = {
    ROW("Permute", "TIT", permute, AXES(1, 0), FITS(permuteFits, SHAPES)),
    ROW("Slice", "TnnnnT", slice, RANKS(0, 1, RANK), AXIS(1, 0), WITHIN(4, 1, INT32_MAX), FITS(sliceFits, SHAPES)),
    ROW("Sum", "LT", sum, LENGTH(0, 1, INT32_MAX), SAME(0, 1)),
    ROW("Ger", "TTT", outer, RANKS(0, 1, 1), RANKS(1, 1, 1), RANKS(2, 2, 2), FITS(outerFits, "argument 3 has not a row for each element of argument 1 and a column for each of argument 2")),
    {0},
};
