/* Matrix products and the other operators of a classifier. Sums are kept in `long double` and rounded once. */
#include <math.h>

#include "kernel.h"

static bool transposed(const aclopAttr *attributes, const char *cann, const char *batch, const char *onnx)
{
    return attributeInteger(attributes, cann, 0) != 0 || attributeInteger(attributes, batch, 0) != 0 ||
           attributeInteger(attributes, onnx, 0) != 0;
}

static bool leftTransposed(const aclopAttr *attributes)
{
    return transposed(attributes, "transpose_a", "adj_x1", "transA") ||
           attributeInteger(attributes, "transpose_x1", 0) != 0;
}

static bool rightTransposed(const aclopAttr *attributes)
{
    return transposed(attributes, "transpose_b", "adj_x2", "transB") ||
           attributeInteger(attributes, "transpose_x2", 0) != 0;
}

struct product {
    int64_t rows, columns, inner;
    struct shape batch; /* all but the last two axes of the result */
    struct shape left_batch, right_batch;
};

static struct shape leading(const struct shape *shape)
{
    struct shape result = *shape;
    result.rank -= 2;
    return result;
}

static bool plan(const struct view *in, const aclopAttr *attributes, struct product *product)
{
    const struct shape *left = &in[0].shape, *right = &in[1].shape;
    if (left->rank < 2 || right->rank < 2) {
        return false;
    }
    bool flip_left = leftTransposed(attributes), flip_right = rightTransposed(attributes);
    product->rows = left->dims[left->rank - (flip_left ? 1 : 2)];
    product->inner = left->dims[left->rank - (flip_left ? 2 : 1)];
    product->columns = right->dims[right->rank - (flip_right ? 2 : 1)];
    product->left_batch = leading(left);
    product->right_batch = leading(right);
    return right->dims[right->rank - (flip_right ? 1 : 2)] == product->inner &&
           broadcastShape(&product->left_batch, &product->right_batch, &product->batch) &&
           product->batch.rank + 2 <= TENSOR_DIMS;
}

static bool inferMatmul(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    struct product product;
    if (!plan(in, attributes, &product)) {
        return false;
    }
    /* CANN lets the output be wider than the inputs; an output that has a type keeps it. */
    if (out->type == ACL_DT_UNDEFINED) {
        out->type = in[0].type;
    }
    out->shape = product.batch;
    out->shape.dims[out->shape.rank++] = product.rows;
    out->shape.dims[out->shape.rank++] = product.columns;
    return true;
}

static long double dot(const struct view *in, const aclopAttr *attributes, const struct product *product,
                       int64_t left_from, int64_t right_from, int64_t row, int64_t column)
{
    bool flip_left = leftTransposed(attributes), flip_right = rightTransposed(attributes);
    int64_t left_step = flip_left ? product->rows : 1, right_step = flip_right ? 1 : product->columns;
    int64_t left = left_from + (flip_left ? row : row * product->inner);
    int64_t right = right_from + (flip_right ? column * product->inner : column);
    long double sum = 0;
    for (int64_t i = 0; i < product->inner; i++, left += left_step, right += right_step) {
        sum += elementGet(&in[0], left) * elementGet(&in[1], right);
    }
    return sum;
}

/* A third input is a bias, added along the last axis. */
static void computeMatmul(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    struct product product;
    if (!plan(in, attributes, &product)) {
        return;
    }
    int64_t index = 0;
    for (int64_t batch = 0; batch < elementCount(&product.batch); batch++) {
        int64_t left = broadcastIndex(&product.left_batch, &product.batch, batch) * product.rows * product.inner;
        int64_t right = broadcastIndex(&product.right_batch, &product.batch, batch) * product.inner * product.columns;
        for (int64_t row = 0; row < product.rows; row++) {
            for (int64_t column = 0; column < product.columns; column++) {
                long double sum = dot(in, attributes, &product, left, right, row, column);
                if (count > 2) {
                    sum += elementGet(&in[2], broadcastIndex(&in[2].shape, &out->shape, index));
                }
                elementPut(out, index++, sum);
            }
        }
    }
}

/* alpha * A * B + beta * C; CANN passes alpha and beta as inputs 3 and 4, ONNX as attributes. */
static void computeGemm(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    struct product product;
    if (!plan(in, attributes, &product)) {
        return;
    }
    long double alpha = count > 3 ? elementGet(&in[3], 0) : (long double)attributeFloat(attributes, "alpha", 1);
    long double beta = count > 4 ? elementGet(&in[4], 0) : (long double)attributeFloat(attributes, "beta", 1);
    for (int64_t index = 0; index < product.rows * product.columns; index++) {
        long double sum = alpha * dot(in, attributes, &product, 0, 0, index / product.columns, index % product.columns);
        if (count > 2 && beta != 0) {
            sum += beta * elementGet(&in[2], broadcastIndex(&in[2].shape, &out->shape, index));
        }
        elementPut(out, index, sum);
    }
}

static bool inferGemm(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    struct shape fitted;
    return inferMatmul(in, 2, attributes, out) && out->shape.rank == 2 &&
           (count < 3 || (broadcastShape(&in[2].shape, &out->shape, &fitted) && sameShape(&fitted, &out->shape)));
}

/* Along the last axis only. */
static bool inferSoftmax(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    int64_t axis = attributeInteger(attributes, "axis", -1);
    out->type = in[0].type;
    out->shape = in[0].shape;
    return in[0].shape.rank > 0 && (axis == -1 || axis == in[0].shape.rank - 1);
}

static void computeSoftmax(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    (void)attributes;
    int64_t width = out->shape.dims[out->shape.rank - 1];
    for (int64_t from = 0; from < elementCount(&out->shape); from += width) {
        long double largest = -INFINITY, sum = 0;
        for (int64_t i = 0; i < width; i++) {
            largest = fmaxl(largest, elementGet(&in[0], from + i));
        }
        for (int64_t i = 0; i < width; i++) {
            sum += expl(elementGet(&in[0], from + i) - largest);
        }
        for (int64_t i = 0; i < width; i++) {
            elementPut(out, from + i, expl(elementGet(&in[0], from + i) - largest) / sum);
        }
    }
}

static bool inferGlobalPool(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    (void)attributes;
    out->type = in[0].type;
    out->shape = in[0].shape;
    for (int axis = 2; axis < out->shape.rank; axis++) {
        out->shape.dims[axis] = 1;
    }
    return in[0].shape.rank > 2 && elementCount(&in[0].shape) > 0;
}

static void computeGlobalAverage(const struct view *in, int count, const aclopAttr *attributes,
                                   const struct view *out)
{
    (void)count;
    (void)attributes;
    int64_t planes = elementCount(&out->shape);
    int64_t area = elementCount(&in[0].shape) / planes;
    for (int64_t plane = 0; plane < planes; plane++) {
        long double sum = 0;
        for (int64_t i = 0; i < area; i++) {
            sum += elementGet(&in[0], plane * area + i);
        }
        elementPut(out, plane, sum / (long double)area);
    }
}

const struct kernel matrix_kernels[] = {
    {"MatMul", 2, inferMatmul, computeMatmul},
    {"MatMulV2", 2, inferMatmul, computeMatmul},
    {"BatchMatMul", 2, inferMatmul, computeMatmul},
    {"BatchMatMulV2", 2, inferMatmul, computeMatmul},
    {"GEMM", 3, inferGemm, computeGemm},
    {"Gemm", 2, inferGemm, computeGemm},
    {"Softmax", 1, inferSoftmax, computeSoftmax},
    {"SoftmaxV2", 1, inferSoftmax, computeSoftmax},
    {"GlobalAveragePool", 1, inferGlobalPool, computeGlobalAverage},
    {NULL, 0, NULL, NULL},
};
