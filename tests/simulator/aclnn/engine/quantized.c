/* Products with weights of few bits, which are scaled first: for each column, or for each group of rows of a column. */
#include <stdlib.h>

#include "matrix.h"
#include "operator.h"

enum { X, WEIGHT, SCALE, OFFSET, QUANT_SCALE, QUANT_OFFSET, BIAS, GROUP, OUT };

/* Two elements a byte, the first one in the lower half; NULL if unmapped or without memory. */
static float *halvesOfBytes(const struct aclTensor *tensor)
{
    int64_t rows = tensor->dims[0], columns = tensor->dims[1], down = tensor->strides[0], right = tensor->strides[1];
    int64_t last = tensor->offset + (rows > 0 ? (rows - 1) * down : 0) + (columns > 0 ? (columns - 1) * right : 0);
    const unsigned char *bytes = deviceWindow(tensor->data, (size_t)last / 2 + 1);
    float *values = bytes == NULL ? NULL : malloc(((size_t)(rows * columns) + 1) * sizeof *values);
    for (int64_t i = 0; values && i < rows * columns; i++) {
        int64_t at = tensor->offset + i / columns * down + i % columns * right;
        int nibble = bytes[at / 2] >> (at % 2 * 4) & 15;
        values[i] = (float)(nibble < 8 ? nibble : nibble - 16);
    }
    return values;
}

/* (weight + offset) · scale */
static bool scaled(const struct plan *plan, float *weight, int64_t depth, int64_t columns)
{
    int64_t group = integerAt(plan, GROUP) > 0 ? integerAt(plan, GROUP) : depth;
    float *scales = floatsOf(tensorAt(plan, SCALE)), *offsets = tensorAt(plan, OFFSET) ? floatsOf(tensorAt(plan, OFFSET)) : NULL;
    bool is_ready = scales && (offsets || !tensorAt(plan, OFFSET)), is_one = operandCount(tensorAt(plan, SCALE)) == 1;
    for (int64_t i = 0; is_ready && i < depth * columns; i++) {
        int64_t at = is_one ? 0 : i / columns / group * columns + i % columns;
        weight[i] = (weight[i] + (offsets ? offsets[at] : 0)) * scales[at];
    }
    free(scales);
    free(offsets);
    return is_ready;
}

/* x, weight, scale, offset, (scale and offset of the result), bias, rows of a group, result */
static aclError weightQuantized(const struct plan *plan)
{
    const struct aclTensor *x = tensorAt(plan, X), *weight = tensorAt(plan, WEIGHT), *bias = tensorAt(plan, BIAS);
    int64_t rows = x->dims[0], depth = x->dims[1], columns = weight->dims[1];
    float *left = floatsOf(x), *right = weight->type == ACL_INT4 ? halvesOfBytes(weight) : floatsOf(weight);
    float *added = bias ? floatsOf(bias) : NULL, *result = malloc(((size_t)(rows * columns) + 1) * sizeof *result);
    bool is_ready = left && right && result && (!bias || added) && scaled(plan, right, depth, columns);
    if (is_ready) {
        multiply(rows, columns, depth, left, right, result);
    }
    for (int64_t i = 0; is_ready && added && i < rows * columns; i++) {
        result[i] += added[i % columns];
    }
    aclError code = is_ready ? storeFloats(tensorAt(plan, OUT), result) : UNMAPPED;
    free(left);
    free(right);
    free(added);
    free(result);
    return code;
}

/* Results that are quantized again, and weights of other types. */
static bool isBeyond(const struct plan *plan)
{
    aclDataType type = tensorAt(plan, WEIGHT)->type;
    return tensorAt(plan, QUANT_SCALE) != NULL || tensorAt(plan, QUANT_OFFSET) != NULL || (type != ACL_INT8 && type != ACL_INT4);
}

static bool weightFits(const struct plan *plan)
{
    const struct aclTensor *x = tensorAt(plan, X), *weight = tensorAt(plan, WEIGHT), *out = tensorAt(plan, OUT), *bias = tensorAt(plan, BIAS);
    for (int at = X; at <= OUT; at++) {
        const struct aclTensor *tensor = tensorAt(plan, at);
        if (at != WEIGHT && tensor != NULL && !typeIsReal(tensor->type)) {
            return refuse("argument %d has the type %d, which is not real", at + 1, (int)tensor->type);
        }
    }
    int64_t depth = x->dims[1], columns = weight->dims[1], group = integerAt(plan, GROUP);
    if (weight->dims[0] != depth || operandCount(out) != x->dims[0] * columns) {
        return refuse("matrices of the shapes %s and %s have not the product %s", shapeText(x), shapeText(weight), shapeText(out));
    }
    if (bias != NULL && operandCount(bias) != columns) {
        return refuse("argument 7 of shape %s has not an element for each column of argument 2 of shape %s", shapeText(bias), shapeText(weight));
    }
    int64_t groups = group > 0 ? (depth + group - 1) / group : 1;
    for (int at = SCALE; at <= OFFSET; at++) {
        const struct aclTensor *tensor = tensorAt(plan, at);
        bool is_one = tensor != NULL && operandCount(tensorAt(plan, SCALE)) == 1 && operandCount(tensor) == 1 && group == 0;
        if (tensor != NULL && !is_one && operandCount(tensor) != groups * columns) {
            return refuse("argument %d of shape %s has not %lld rows of %lld elements", at + 1, shapeText(tensor), (long long)groups, (long long)columns);
        }
    }
    return true;
}

const struct operator_row quantizedRows[] = {
    OPERATOR("WeightQuantBatchMatmulV2", "TTTttttmT", weightQuantized,
             CHECKS(RANKS(X, 2, 2), RANKS(WEIGHT, 2, 2), WITHIN(GROUP, 0, INT32_MAX), FITS(weightFits, "the matrices do not fit together")),
             .is_beyond = isBeyond, .takes_halves = true),
    {0},
};
