/* What occurs in a tensor, each once: elements, or slices along an axis. */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>

#include "operator.h"

enum { FLAT = 1000 }; /* what torch_npu passes for an axis that is not given */

/* Slices as rows of numbers. 64-bit integers are compared as such. */
struct rows {
    const int64_t *wholes; /* NULL: reals */
    const double *reals;
    int64_t count, width;
};

static int numberOrder(double one, double other)
{
    bool is_nan = one != one, is_other_nan = other != other;
    return is_nan || is_other_nan ? is_nan - is_other_nan : (one > other) - (one < other);
}

static int rowOrder(const struct rows *rows, int64_t one, int64_t other)
{
    for (int64_t i = 0; i < rows->width; i++) {
        int64_t left = one * rows->width + i, right = other * rows->width + i;
        int order = rows->wholes ? (rows->wholes[left] > rows->wholes[right]) - (rows->wholes[left] < rows->wholes[right])
                                 : numberOrder(rows->reals[left], rows->reals[right]);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

/* Equal rows keep their order. */
static int compare(const void *left, const void *right, void *rows)
{
    int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;
    int order = rowOrder(rows, one, other);
    return order != 0 ? order : (one > other) - (one < other);
}

/* A number that is not one equals nothing, not even itself. */
static bool isSame(const struct rows *rows, int64_t one, int64_t other)
{
    for (int64_t i = 0; rows->reals != NULL && i < rows->width; i++) {
        if (rows->reals[one * rows->width + i] != rows->reals[other * rows->width + i]) {
            return false;
        }
    }
    return rows->reals != NULL || rowOrder(rows, one, other) == 0;
}

/* Gives each row its group; the first row and the size of each group. Returns how many there are. */
static int64_t group(const struct rows *rows, bool is_sorted, int64_t *order, int64_t *groups, int64_t *firsts, int64_t *sizes)
{
    for (int64_t i = 0; i < rows->count; i++) {
        order[i] = i;
    }
    if (is_sorted) {
        qsort_r(order, (size_t)rows->count, sizeof *order, compare, (void *)rows);
    }
    int64_t found = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        if (i == 0 || !isSame(rows, order[i - 1], order[i])) {
            firsts[found] = order[i];
            sizes[found++] = 0;
        }
        groups[order[i]] = found - 1;
        sizes[found - 1]++;
    }
    return found;
}

/* The result's memory is that of a dense tensor of its final size. */
static struct aclTensor dense(const struct aclTensor *tensor, int axis, int64_t count)
{
    struct aclTensor out = *tensor;
    int64_t stride = 1;
    out.dims[axis] = count;
    for (int i = out.rank - 1; i >= 0; i--) {
        out.strides[i] = stride;
        stride *= out.dims[i];
    }
    return out;
}

static aclError storeRows(const struct rows *rows, const int64_t *firsts, int64_t found, const struct aclTensor *tensor, int axis)
{
    struct aclTensor out = dense(tensor, axis, found);
    int order[RANK] = {axis}, at = 1;
    for (int i = 0; i < out.rank; i++) {
        if (i != axis) {
            order[at++] = i;
        }
    }
    struct spread to;
    if (!spreadOrdered(&to, &out, order)) {
        return UNMAPPED;
    }
    for (int64_t i = 0; rows->width > 0 && i < found; i++) {
        if (rows->wholes) {
            putIntegers(&to, i * rows->width, rows->width, rows->wholes + firsts[i] * rows->width);
        } else {
            putReals(&to, i * rows->width, rows->width, rows->reals + firsts[i] * rows->width);
        }
    }
    return ACL_SUCCESS;
}

static aclError storeCounts(const struct plan *plan, int operand, const int64_t *counts, int64_t found)
{
    struct aclTensor out = plan->operands[operand];
    if (operandCount(&out) == 0) {
        return ACL_SUCCESS;
    }
    out.dims[0] = found;
    operandShrink(plan, operand, 0, found);
    return found == 0 ? ACL_SUCCESS : storeIntegers(&out, counts);
}

/* `axis` below 0: of all elements. The results are the last operands: values, groups and, of three, counts. */
static aclError unique(const struct plan *plan, int axis, bool is_sorted)
{
    const struct aclTensor *in = &plan->operands[0], *values = &plan->operands[1], *inverse = &plan->operands[2];
    int order[RANK] = {0}, at = 0;
    order[at++] = axis < 0 ? 0 : axis;
    for (int i = 0; i < in->rank; i++) {
        if (i != order[0]) {
            order[at++] = i;
        }
    }
    if (axis < 0) {
        for (int i = 0; i < in->rank; i++) {
            order[i] = i;
        }
    }
    int64_t total = operandCount(in), count = axis < 0 ? total : in->dims[axis];
    struct rows rows = {.count = count, .width = count == 0 ? 0 : total / count};
    struct spread from;
    bool is_whole = !typeIsReal(in->type), is_ready = spreadOrdered(&from, in, order);
    void *numbers = malloc(((size_t)total + 1) * sizeof(int64_t));
    int64_t *work = malloc((4 * (size_t)count + 1) * sizeof *work);
    aclError code = UNMAPPED;
    if (is_ready && numbers && work) {
        if (total > 0 && is_whole) {
            takeIntegers(&from, 0, total, numbers);
        } else if (total > 0) {
            takeReals(&from, 0, total, numbers);
        }
        rows.wholes = is_whole ? numbers : NULL;
        rows.reals = is_whole ? NULL : numbers;
        int64_t *groups = work + count, *firsts = work + 2 * count, *sizes = work + 3 * count;
        int64_t found = group(&rows, is_sorted, work, groups, firsts, sizes);
        operandShrink(plan, 1, axis < 0 ? 0 : axis, found);
        code = found == 0 ? ACL_SUCCESS : storeRows(&rows, firsts, found, values, axis < 0 ? 0 : axis);
        code = code == ACL_SUCCESS && operandCount(inverse) > 0 ? storeIntegers(inverse, groups) : code;
        code = code == ACL_SUCCESS && plan->count > 3 ? storeCounts(plan, 3, sizes, found) : code;
    }
    free(numbers);
    free(work);
    return code;
}

/* tensor, sorted, whether groups are asked for, [counts,] values, groups, [counts] */
static aclError elements(const struct plan *plan)
{
    return unique(plan, -1, true);
}

/* tensor, sorted, whether groups are asked for, axis, values, groups, counts */
static aclError slices(const struct plan *plan)
{
    return unique(plan, axisOf(integerAt(plan, 3), plan->operands[0].rank), true);
}

/* tensor, whether groups and counts are asked for, axis, values, groups, counts */
static aclError runs(const struct plan *plan)
{
    int64_t axis = integerAt(plan, 3);
    return unique(plan, axis == FLAT ? -1 : axisOf(axis, plan->operands[0].rank), false);
}

static bool slicesFit(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *values = tensorAt(plan, 4), *groups = tensorAt(plan, 5), *counts = tensorAt(plan, 6);
    int64_t axis = integerAt(plan, 3), rows = operandCount(in);
    bool is_flat = axis == FLAT && plan->row->compute == runs;
    if (!is_flat) {
        if (in->rank == 0 || axis < -in->rank || axis >= in->rank || values->rank != in->rank) {
            return refuse("argument 4 is the axis %lld of argument 1 of shape %s, or argument 5 has other dimensions", (long long)axis, shapeText(in));
        }
        rows = in->dims[axisOf(axis, in->rank)];
    }
    return (values->rank <= 1 || !is_flat) && (operandCount(groups) == 0 || operandCount(groups) == rows) && (counts->rank == 1 || operandCount(counts) == 0);
}
#define SLICES "the results' shapes are not those of argument 1"

#define ROW(operator, letters, function, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .shrinks = true)

const struct operator_row uniqueRows[] = {
    ROW("Unique", "TbbTT", elements, RANKS(3, 0, 1), AS_MANY_IF_ANY(4, 0)),
    ROW("Unique2", "TbbbTTT", elements, RANKS(4, 0, 1), AS_MANY_IF_ANY(5, 0), RANKS(6, 1, 1)),
    ROW("UniqueDim", "TbbnTTT", slices, RANKS(0, 1, RANK), AXIS(3, 0), FITS(slicesFit, SLICES)),
    ROW("UniqueConsecutive", "TbbnTTT", runs, FITS(slicesFit, SLICES)),
    {0},
};
