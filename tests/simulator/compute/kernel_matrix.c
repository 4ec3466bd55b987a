/* Matrix products and what a classifier puts around them. Sums are kept in `long double` and rounded once. */
#include <math.h>

#include "kernel.h"

static bool transposed(const aclopAttr *attributes, const char *cann, const char *batch, const char *onnx)
{
    return attribute_integer(attributes, cann, 0) != 0 || attribute_integer(attributes, batch, 0) != 0 ||
           attribute_integer(attributes, onnx, 0) != 0;
}

static bool left_transposed(const aclopAttr *attributes)
{
    return transposed(attributes, "transpose_a", "adj_x1", "transA") ||
           attribute_integer(attributes, "transpose_x1", 0) != 0;
}

static bool right_transposed(const aclopAttr *attributes)
{
    return transposed(attributes, "transpose_b", "adj_x2", "transB") ||
           attribute_integer(attributes, "transpose_x2", 0) != 0;
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
    if (left->rank < 2 || right->rank < 2)
        return false;
    bool flip_left = left_transposed(attributes), flip_right = right_transposed(attributes);
    product->rows = left->dims[left->rank - (flip_left ? 1 : 2)];
    product->inner = left->dims[left->rank - (flip_left ? 2 : 1)];
    product->columns = right->dims[right->rank - (flip_right ? 2 : 1)];
    product->left_batch = leading(left);
    product->right_batch = leading(right);
    return right->dims[right->rank - (flip_right ? 1 : 2)] == product->inner &&
           broadcast_shape(&product->left_batch, &product->right_batch, &product->batch) &&
           product->batch.rank + 2 <= TENSOR_DIMS;
}

static bool infer_matmul(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    struct product product;
    if (!plan(in, attributes, &product))
        return false;
    /* CANN lets the output be wider than the inputs; an output that has a type keeps it. */
    if (out->type == ACL_DT_UNDEFINED)
        out->type = in[0].type;
    out->shape = product.batch;
    out->shape.dims[out->shape.rank++] = product.rows;
    out->shape.dims[out->shape.rank++] = product.columns;
    return true;
}

static long double dot(const struct view *in, const aclopAttr *attributes, const struct product *product,
                       int64_t left_from, int64_t right_from, int64_t row, int64_t column)
{
    bool flip_left = left_transposed(attributes), flip_right = right_transposed(attributes);
    int64_t left_step = flip_left ? product->rows : 1, right_step = flip_right ? 1 : product->columns;
    int64_t left = left_from + (flip_left ? row : row * product->inner);
    int64_t right = right_from + (flip_right ? column * product->inner : column);
    long double sum = 0;
    for (int64_t i = 0; i < product->inner; i++, left += left_step, right += right_step)
        sum += element_get(&in[0], left) * element_get(&in[1], right);
    return sum;
}

/* A third input is a bias, added along the last axis. */
static void compute_matmul(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    struct product product;
    if (!plan(in, attributes, &product))
        return;
    int64_t index = 0;
    for (int64_t batch = 0; batch < element_count(&product.batch); batch++) {
        int64_t left = broadcast_index(&product.left_batch, &product.batch, batch) * product.rows * product.inner;
        int64_t right = broadcast_index(&product.right_batch, &product.batch, batch) * product.inner * product.columns;
        for (int64_t row = 0; row < product.rows; row++)
            for (int64_t column = 0; column < product.columns; column++) {
                long double sum = dot(in, attributes, &product, left, right, row, column);
                if (count > 2)
                    sum += element_get(&in[2], broadcast_index(&in[2].shape, &out->shape, index));
                element_put(out, index++, sum);
            }
    }
}

/* alpha * A * B + beta * C; CANN passes alpha and beta as inputs 3 and 4, ONNX as attributes. */
static void compute_gemm(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    struct product product;
    if (!plan(in, attributes, &product))
        return;
    long double alpha = count > 3 ? element_get(&in[3], 0) : (long double)attribute_float(attributes, "alpha", 1);
    long double beta = count > 4 ? element_get(&in[4], 0) : (long double)attribute_float(attributes, "beta", 1);
    for (int64_t index = 0; index < product.rows * product.columns; index++) {
        long double sum =
            alpha * dot(in, attributes, &product, 0, 0, index / product.columns, index % product.columns);
        if (count > 2 && beta != 0)
            sum += beta * element_get(&in[2], broadcast_index(&in[2].shape, &out->shape, index));
        element_put(out, index, sum);
    }
}

static bool infer_gemm(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    struct shape fitted;
    return infer_matmul(in, 2, attributes, out) && out->shape.rank == 2 &&
           (count < 3 || (broadcast_shape(&in[2].shape, &out->shape, &fitted) && same_shape(&fitted, &out->shape)));
}

/* Along the last axis only. */
static bool infer_softmax(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    int64_t axis = attribute_integer(attributes, "axis", -1);
    out->type = in[0].type;
    out->shape = in[0].shape;
    return in[0].shape.rank > 0 && (axis == -1 || axis == in[0].shape.rank - 1);
}

static void compute_softmax(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    (void)attributes;
    int64_t width = out->shape.dims[out->shape.rank - 1];
    for (int64_t from = 0; from < element_count(&out->shape); from += width) {
        long double largest = -INFINITY, sum = 0;
        for (int64_t i = 0; i < width; i++)
            largest = fmaxl(largest, element_get(&in[0], from + i));
        for (int64_t i = 0; i < width; i++)
            sum += expl(element_get(&in[0], from + i) - largest);
        for (int64_t i = 0; i < width; i++)
            element_put(out, from + i, expl(element_get(&in[0], from + i) - largest) / sum);
    }
}

static bool infer_global_pool(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    (void)attributes;
    out->type = in[0].type;
    out->shape = in[0].shape;
    for (int axis = 2; axis < out->shape.rank; axis++)
        out->shape.dims[axis] = 1;
    return in[0].shape.rank > 2 && element_count(&in[0].shape) > 0;
}

static void compute_global_average(const struct view *in, int count, const aclopAttr *attributes,
                                   const struct view *out)
{
    (void)count;
    (void)attributes;
    int64_t planes = element_count(&out->shape);
    int64_t area = element_count(&in[0].shape) / planes;
    for (int64_t plane = 0; plane < planes; plane++) {
        long double sum = 0;
        for (int64_t i = 0; i < area; i++)
            sum += element_get(&in[0], plane * area + i);
        element_put(out, plane, sum / (long double)area);
    }
}

const struct kernel matrix_kernels[] = {
    {"MatMul", 2, infer_matmul, compute_matmul},
    {"MatMulV2", 2, infer_matmul, compute_matmul},
    {"BatchMatMul", 2, infer_matmul, compute_matmul},
    {"BatchMatMulV2", 2, infer_matmul, compute_matmul},
    {"GEMM", 3, infer_gemm, compute_gemm},
    {"Gemm", 2, infer_gemm, compute_gemm},
    {"Softmax", 1, infer_softmax, compute_softmax},
    {"SoftmaxV2", 1, infer_softmax, compute_softmax},
    {"GlobalAveragePool", 1, infer_global_pool, compute_global_average},
    {NULL, 0, NULL, NULL},
};
