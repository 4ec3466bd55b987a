/* Distances between rows, norms that are bounded, cross products, traces, outer products. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operator.h"

static double lengthOf(const double *values, const double *others, int64_t count, double order)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        double step = fabs(values[i] - (others ? others[i] : 0));
        sum = isinf(order) ? (step > sum || step != step ? step : sum) : sum + (order == 0 ? step != 0 : order == 1 ? step : pow(step, order));
    }
    return isinf(order) || order == 0 || order == 1 ? sum : order == 2 ? sqrt(sum) : pow(sum, 1 / order);
}

/* Rows of two tensors whose batches are broadcast. */
struct pairs {
    int64_t batches, rows, columns, depth;
    double *left, *right;
};

static bool pairsOf(struct pairs *pairs, const struct aclTensor *left, const struct aclTensor *right, const struct aclTensor *out)
{
    int64_t dims[RANK];
    struct spread one, other;
    *pairs = (struct pairs){1, left->dims[left->rank - 2], right->dims[right->rank - 2], left->dims[left->rank - 1], NULL, NULL};
    for (int i = 0; i < out->rank - 2; i++) {
        dims[i] = out->dims[i];
        pairs->batches *= dims[i];
    }
    dims[out->rank - 2] = pairs->rows;
    dims[out->rank - 1] = pairs->depth;
    bool is_mapped = spreadOver(&one, left, out->rank, dims);
    dims[out->rank - 2] = pairs->columns;
    is_mapped = spreadOver(&other, right, out->rank, dims) && is_mapped;
    pairs->left = is_mapped ? malloc(((size_t)one.count + 1) * sizeof(double)) : NULL;
    pairs->right = is_mapped ? malloc(((size_t)other.count + 1) * sizeof(double)) : NULL;
    if (pairs->left == NULL || pairs->right == NULL) {
        return false;
    }
    takeReals(&one, 0, one.count, pairs->left);
    takeReals(&other, 0, other.count, pairs->right);
    return true;
}

/* left, right, order, mode, result */
static aclError cdist(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 4);
    struct pairs pairs;
    int64_t count = operandCount(out);
    double *results = malloc(((size_t)count + 1) * sizeof *results);
    bool is_ready = pairsOf(&pairs, tensorAt(plan, 0), tensorAt(plan, 1), out) && results;
    for (int64_t i = 0; is_ready && i < count; i++) {
        int64_t column = i % pairs.columns, row = i / pairs.columns, batch = row / pairs.rows;
        results[i] = lengthOf(pairs.left + row * pairs.depth, pairs.right + (batch * pairs.columns + column) * pairs.depth, pairs.depth, numberAt(plan, 2));
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    free(pairs.left);
    free(pairs.right);
    free(results);
    return code;
}

static double slope(double step, double up, double distance, double order)
{
    double sign = (step > 0) - (step < 0);
    if (distance == 0 || order == 0) {
        return 0;
    }
    return order == 1   ? sign * up
           : isinf(order) ? ((float)fabs(step) == (float)distance ? sign * up : 0)
                          : sign * pow(fabs(step), order - 1) * up / pow(distance, order - 1);
}

/* gradient, left, right, distances, order, gradient of the left rows */
static aclError cdistBackward(const struct plan *plan)
{
    const struct aclTensor *up = tensorAt(plan, 0), *out = tensorAt(plan, 5);
    struct pairs pairs;
    double order = numberAt(plan, 4) < 0 ? INFINITY : numberAt(plan, 4); /* torch_npu writes infinity as -1 */
    double *ups = realsOf(up), *distances = realsOf(tensorAt(plan, 3)), *results = calloc((size_t)operandCount(out) + 1, sizeof *results);
    bool is_ready = pairsOf(&pairs, tensorAt(plan, 1), tensorAt(plan, 2), up) && ups && distances && results;
    for (int64_t i = 0; is_ready && i < operandCount(up); i++) {
        int64_t column = i % pairs.columns, row = i / pairs.columns, batch = row / pairs.rows;
        for (int64_t k = 0; k < pairs.depth && row * pairs.depth + k < operandCount(out); k++) {
            double step = pairs.left[row * pairs.depth + k] - pairs.right[(batch * pairs.columns + column) * pairs.depth + k];
            results[row * pairs.depth + k] += slope(step, ups[i], distances[i], order);
        }
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    free(pairs.left);
    free(pairs.right);
    free(ups);
    free(distances);
    free(results);
    return code;
}

/* rows, order, result: each row with those after it */
static aclError pdist(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 2);
    int64_t rows = in->dims[0], depth = in->dims[1], at = 0;
    double *values = realsOf(in), *results = malloc(((size_t)operandCount(out) + 1) * sizeof *results);
    for (int64_t i = 0; values && results && i < rows; i++) {
        for (int64_t k = i + 1; k < rows; k++) {
            results[at++] = lengthOf(values + i * depth, values + k * depth, depth, numberAt(plan, 1));
        }
    }
    aclError code = values && results ? storeReals(out, results) : UNMAPPED;
    free(values);
    free(results);
    return code;
}

/* tensor, order, axis, most, [result]: slices along the axis whose norm is larger are scaled down */
static aclError renorm(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = plan->row->arguments[0] == '=' ? in : tensorAt(plan, 4);
    int axis = axisOf(integerAt(plan, 2), in->rank);
    int64_t size = in->dims[axis], after = 1, count = operandCount(in), each = size == 0 ? 0 : count / size;
    for (int i = axis + 1; i < in->rank; i++) {
        after *= in->dims[i];
    }
    double *values = realsOf(in), *slice = calloc((size_t)each + 1, sizeof *slice), most = numberAt(plan, 3);
    for (int64_t at = 0; values && slice && at < size; at++) {
        for (int64_t k = 0; k < each; k++) {
            slice[k] = values[(k / after * size + at) * after + k % after];
        }
        double length = lengthOf(slice, NULL, each, numberAt(plan, 1));
        for (int64_t k = 0; k < each && length > most; k++) {
            values[(k / after * size + at) * after + k % after] = slice[k] * (most / (length + 1e-7));
        }
    }
    aclError code = values && slice ? storeReals(out, values) : UNMAPPED;
    free(values);
    free(slice);
    return code;
}

/* one, other, axis of three elements, result */
static aclError cross(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 3);
    int axis = axisOf(integerAt(plan, 2), out->rank);
    int64_t after = 1, count = operandCount(out);
    for (int i = axis + 1; i < out->rank; i++) {
        after *= out->dims[i];
    }
    struct spread one, other;
    bool is_ready = spreadOver(&one, tensorAt(plan, 0), out->rank, out->dims) && spreadOver(&other, tensorAt(plan, 1), out->rank, out->dims);
    double *a = malloc(((size_t)count + 1) * sizeof *a), *b = malloc(((size_t)count + 1) * sizeof *b), *c = malloc(((size_t)count + 1) * sizeof *c);
    is_ready = is_ready && a && b && c;
    if (is_ready) {
        takeReals(&one, 0, count, a);
        takeReals(&other, 0, count, b);
    }
    for (int64_t i = 0; is_ready && i < count; i++) {
        int64_t at = i / after % 3, next = i + ((at + 1) % 3 - at) * after, last = i + ((at + 2) % 3 - at) * after;
        c[i] = a[next] * b[last] - a[last] * b[next];
    }
    aclError code = is_ready ? storeReals(out, c) : UNMAPPED;
    free(a);
    free(b);
    free(c);
    return code;
}

/* matrix, result */
static aclError trace(const struct plan *plan)
{
    struct aclTensor diagonal = *tensorAt(plan, 0);
    diagonal.dims[0] = diagonal.dims[0] < diagonal.dims[1] ? diagonal.dims[0] : diagonal.dims[1];
    diagonal.strides[0] += diagonal.strides[1];
    diagonal.rank = 1;
    double *values = realsOf(&diagonal), sum = 0;
    for (int64_t i = 0; values && i < diagonal.dims[0]; i++) {
        sum += values[i];
    }
    aclError code = values ? storeReals(tensorAt(plan, 1), &sum) : UNMAPPED;
    free(values);
    return code;
}

/* self, column, row, beta, alpha, [result] */
static aclError addr(const struct plan *plan)
{
    const struct aclTensor *out = plan->row->arguments[0] == '=' ? tensorAt(plan, 0) : tensorAt(plan, 5);
    struct spread self;
    int64_t columns = out->dims[1], count = operandCount(out);
    double *sums = malloc(((size_t)count + 1) * sizeof *sums), *column = realsOf(tensorAt(plan, 1)), *row = realsOf(tensorAt(plan, 2));
    bool is_ready = sums && column && row && spreadOver(&self, tensorAt(plan, 0), out->rank, out->dims);
    if (is_ready) {
        takeReals(&self, 0, count, sums);
    }
    for (int64_t i = 0; is_ready && i < count; i++) {
        sums[i] = (numberAt(plan, 3) == 0 ? 0 : numberAt(plan, 3) * sums[i]) + numberAt(plan, 4) * column[i / columns] * row[i % columns];
    }
    aclError code = is_ready ? storeReals(out, sums) : UNMAPPED;
    free(sums);
    free(column);
    free(row);
    return code;
}

static bool pdistFits(const struct plan *plan)
{
    int64_t rows = tensorAt(plan, 0)->dims[0];
    return rows < INT32_MAX && operandCount(tensorAt(plan, 2)) == rows * (rows - 1) / 2;
}

static bool crossFits(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 3);
    return out->dims[axisOf(integerAt(plan, 2), out->rank)] == 3;
}

#define ROW(operator, letters, function, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__))

#define OUTER RANKS(RESULT, 2, 2), RANKS(1, 1, 1), RANKS(2, 1, 1), SIZES(1, 0, RESULT, 0), SIZES(2, 0, RESULT, 1)

const struct operator_row distanceRows[] = {
    ROW("Cdist", "TTfnT", cdist, SIZES(0, -1, 1, -1), SIZES(4, -2, 0, -2), SIZES(4, -1, 1, -2)),
    ROW("CdistBackward", "TTTTfT", cdistBackward, SIZES(1, -1, 2, -1), SIZES(0, -2, 1, -2), SIZES(0, -1, 2, -2), AS_MANY(3, 0)),
    ROW("Pdist", "TfT", pdist, RANKS(0, 2, 2), FITS(pdistFits, "argument 3 has not one element for each pair of rows")),
    ROW("Renorm", "TSnST", renorm, RANKS(0, 1, RANK), AXIS(2, 0), AS_MANY(RESULT, 0)),
    ROW("InplaceRenorm", "=TSnS", renorm, RANKS(0, 1, RANK), AXIS(2, 0)),
    ROW("LinalgCross", "TTnT", cross, RANKS(3, 1, RANK), AXIS(2, 3), SPREADS(0, 3), SPREADS(1, 3), FITS(crossFits, "the axis of argument 3 has not three elements")),
    ROW("Trace", "TT", trace, RANKS(0, 2, 2), SINGLE(1)),
    ROW("Addr", "TTTSST", addr, OUTER, SPREADS(0, RESULT)),
    ROW("InplaceAddr", "=TTTSS", addr, OUTER),
    {0},
};
