/* Matrix products: batches broadcast, whatever the strides, in single precision, or in double for double. */
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "operator.h"

enum { BLOCK = 64, COLUMNS = 512 };

struct product {
    int64_t rows, columns, depth;
    const float *a, *b;
    float *c;
};

/* Rows of the result, in blocks that fit the caches: the innermost loop runs along rows of `b` and `c`. */
static void rows(void *argument, int64_t from, int64_t to)
{
    const struct product *product = argument;
    int64_t columns = product->columns, depth = product->depth;
    for (int64_t start = 0; start < columns; start += COLUMNS) {
        int64_t width = columns - start < COLUMNS ? columns - start : COLUMNS;
        for (int64_t block = 0; block < depth; block += BLOCK) {
            int64_t end = block + BLOCK < depth ? block + BLOCK : depth;
            for (int64_t row = from; row < to; row++) {
                float *c = product->c + row * columns + start;
                int64_t k = block;
                for (; k + 4 <= end; k += 4) {
                    const float *a = product->a + row * depth + k, *b = product->b + k * columns + start;
                    float a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
                    const float *b1 = b + columns, *b2 = b1 + columns, *b3 = b2 + columns;
                    for (int64_t i = 0; i < width; i++) {
                        c[i] += a0 * b[i] + a1 * b1[i] + a2 * b2[i] + a3 * b3[i];
                    }
                }
                for (; k < end; k++) {
                    float a = product->a[row * depth + k];
                    const float *b = product->b + k * columns + start;
                    for (int64_t i = 0; i < width; i++) {
                        c[i] += a * b[i];
                    }
                }
            }
        }
    }
}

void multiply(int64_t row_count, int64_t columns, int64_t depth, const float *a, const float *b, float *c)
{
    struct product product = {row_count, columns, depth, a, b, c};
    memset(c, 0, (size_t)(row_count * columns) * sizeof *c);
    inParallel(row_count, 0.5 * (double)columns * (double)depth, rows, &product);
}

static void multiplyDoubles(int64_t row_count, int64_t columns, int64_t depth, const double *a, const double *b, double *c)
{
    memset(c, 0, (size_t)(row_count * columns) * sizeof *c);
    for (int64_t row = 0; row < row_count; row++) {
        for (int64_t k = 0; k < depth; k++) {
            for (int64_t i = 0; i < columns; i++) {
                c[row * columns + i] += a[row * depth + k] * b[k * columns + i];
            }
        }
    }
}

/* The last two dimensions are a matrix's; a vector on the left is a row, on the right a column. */
struct shapes {
    int64_t rows, columns, depth, batches;
    int rank; /* of the batches */
    int64_t batch[RANK];
    struct aclTensor left, right;
};

static struct aclTensor asMatrix(const struct aclTensor *tensor, bool is_left)
{
    struct aclTensor matrix = *tensor;
    if (tensor->rank == 1) {
        matrix.rank = 2;
        matrix.dims[is_left] = tensor->dims[0];
        matrix.strides[is_left] = tensor->strides[0];
        matrix.dims[!is_left] = 1;
        matrix.strides[!is_left] = 0;
    }
    return matrix;
}

static bool shapesOf(struct shapes *shapes, const struct aclTensor *left, const struct aclTensor *right)
{
    if (left->rank == 0 || right->rank == 0) {
        return false;
    }
    shapes->left = asMatrix(left, true);
    shapes->right = asMatrix(right, false);
    const struct aclTensor *a = &shapes->left, *b = &shapes->right;
    shapes->rows = a->dims[a->rank - 2];
    shapes->depth = a->dims[a->rank - 1];
    shapes->columns = b->dims[b->rank - 1];
    shapes->rank = (a->rank > b->rank ? a->rank : b->rank) - 2;
    shapes->batches = 1;
    for (int axis = 0; axis < shapes->rank; axis++) {
        int at_a = axis - shapes->rank + a->rank - 2, at_b = axis - shapes->rank + b->rank - 2;
        int64_t one = at_a < 0 ? 1 : a->dims[at_a], other = at_b < 0 ? 1 : b->dims[at_b];
        if (one != other && one != 1 && other != 1) {
            return false;
        }
        shapes->batch[axis] = one == 1 ? other : one;
        shapes->batches *= shapes->batch[axis];
    }
    return b->dims[b->rank - 2] == shapes->depth;
}

static bool fits(const struct aclTensor *left, const struct aclTensor *right, const struct aclTensor *out)
{
    struct shapes shapes;
    return (shapesOf(&shapes, left, right) && operandCount(out) == shapes.batches * shapes.rows * shapes.columns) ||
           refuse("matrices of the shapes %s and %s have another product", shapeText(left), shapeText(right));
}

static bool productFits(const struct plan *plan)
{
    return fits(&plan->operands[0], &plan->operands[1], &plan->operands[2]);
}

static bool sumFits(const struct plan *plan)
{
    const struct aclTensor *out = plan->row->arguments[0] == '=' ? &plan->operands[0] : &plan->operands[3];
    struct shapes shapes;
    const struct aclTensor *left = &plan->operands[1], *right = &plan->operands[2];
    if (plan->row->code == 0) {
        return fits(left, right, out);
    }
    return (left->rank == 3 && right->rank == 3 && left->dims[0] == right->dims[0] && shapesOf(&shapes, left, right) &&
            operandCount(out) == shapes.rows * shapes.columns) ||
           refuse("matrices of the shapes %s and %s have another sum of products", shapeText(left), shapeText(right));
}

static bool vectorFits(const struct plan *plan)
{
    return fits(tensorAt(plan, 1), tensorAt(plan, 2), tensorAt(plan, 5));
}

static uint64_t sumsNeed(const struct plan *plan)
{
    return ((uint64_t)operandCount(&plan->operands[2]) * sizeof(float) + 511) / 512 * 512;
}

/* The whole product as numbers of either precision; NULL if unmapped or without memory. */
static void *product(const struct aclTensor *left, const struct aclTensor *right, bool is_double)
{
    struct shapes shapes;
    struct spread a, b;
    if (!shapesOf(&shapes, left, right)) {
        return NULL;
    }
    int64_t dims[RANK];
    memcpy(dims, shapes.batch, sizeof dims);
    dims[shapes.rank] = shapes.rows;
    dims[shapes.rank + 1] = shapes.depth;
    bool is_mapped = spreadOver(&a, &shapes.left, shapes.rank + 2, dims);
    dims[shapes.rank] = shapes.depth;
    dims[shapes.rank + 1] = shapes.columns;
    is_mapped = spreadOver(&b, &shapes.right, shapes.rank + 2, dims) && is_mapped;
    size_t size = is_double ? sizeof(double) : sizeof(float);
    int64_t at_a = shapes.rows * shapes.depth, at_b = shapes.depth * shapes.columns, at_c = shapes.rows * shapes.columns;
    void *one = malloc((size_t)at_a * size + 1), *other = malloc((size_t)at_b * size + 1);
    char *result = malloc((size_t)(shapes.batches * at_c) * size + 1);
    if (!is_mapped || one == NULL || other == NULL || result == NULL) {
        free(result);
        result = NULL;
    }
    for (int64_t batch = 0; result != NULL && batch < shapes.batches && at_c > 0; batch++) {
        void *out = result + (size_t)(batch * at_c) * size;
        if (is_double) {
            takeReals(&a, batch * at_a, at_a, one);
            takeReals(&b, batch * at_b, at_b, other);
            multiplyDoubles(shapes.rows, shapes.columns, shapes.depth, one, other, out);
        } else {
            takeFloats(&a, batch * at_a, at_a, one);
            takeFloats(&b, batch * at_b, at_b, other);
            multiply(shapes.rows, shapes.columns, shapes.depth, one, other, out);
        }
    }
    free(one);
    free(other);
    return result;
}

/* Products of doubles and of integers need more than a float holds. */
static bool needsDouble(const struct aclTensor *left)
{
    return left->type == ACL_DOUBLE || !typeIsReal(left->type);
}

static aclError matmul(const struct plan *plan)
{
    const struct aclTensor *out = &plan->operands[2];
    bool is_double = needsDouble(&plan->operands[0]);
    void *result = product(&plan->operands[0], &plan->operands[1], is_double);
    void *workspace = plan->need > 0 ? deviceWindow(plan->workspace, plan->need) : NULL;
    if (result == NULL || (plan->need > 0 && workspace == NULL)) {
        free(result);
        return UNMAPPED;
    }
    if (workspace != NULL) {
        /* An operator writes all that it asks for. */
        memset(workspace, 0, plan->need);
    }
    aclError code = is_double ? storeReals(out, result) : storeFloats(out, result);
    free(result);
    return code;
}

/* A factor of a product of integers is an integer. */
static double factorAt(const struct plan *plan, int argument, const struct aclTensor *out)
{
    double factor = numberAt(plan, argument);
    return typeIsReal(out->type) ? factor : (double)wholeOf(factor);
}

/* beta · self + alpha · (left @ right), summed over the batches if `code` says so. */
static aclError addmm(const struct plan *plan)
{
    bool is_in_place = plan->row->arguments[0] == '=';
    const struct aclTensor *self = &plan->operands[0], *out = is_in_place ? self : &plan->operands[3];
    const struct aclTensor *left = &plan->operands[1], *right = &plan->operands[2];
    double beta = factorAt(plan, 3, out), alpha = factorAt(plan, 4, out);
    int64_t count = operandCount(out), batches = plan->row->code != 0 ? left->dims[0] : 1;
    struct spread bias;
    double *sums = malloc(((size_t)count + 1) * sizeof *sums);
    bool is_double = needsDouble(left);
    void *result = product(left, right, is_double);
    if (sums == NULL || result == NULL || !spreadOver(&bias, self, out->rank, out->dims)) {
        free(sums);
        free(result);
        return UNMAPPED;
    }
    if (count > 0) {
        takeReals(&bias, 0, count, sums);
    }
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        for (int64_t batch = 0; batch < batches; batch++) {
            sum += is_double ? ((const double *)result)[batch * count + i] : ((const float *)result)[batch * count + i];
        }
        sums[i] = (beta == 0 ? 0 : beta * sums[i]) + alpha * sum;
    }
    aclError code = storeReals(out, sums);
    free(sums);
    free(result);
    return code;
}

/* self, matrix, vector, alpha, beta, result, unused */
static aclError addmv(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 5);
    double alpha = factorAt(plan, 3, out), beta = factorAt(plan, 4, out);
    struct spread bias;
    double *sums = malloc(((size_t)operandCount(out) + 1) * sizeof *sums), *products = product(tensorAt(plan, 1), tensorAt(plan, 2), true);
    bool is_ready = sums && products && spreadOver(&bias, tensorAt(plan, 0), out->rank, out->dims);
    if (is_ready && operandCount(out) > 0) {
        takeReals(&bias, 0, operandCount(out), sums);
    }
    for (int64_t i = 0; is_ready && i < operandCount(out); i++) {
        sums[i] = (beta == 0 ? 0 : beta * sums[i]) + alpha * products[i];
    }
    aclError code = is_ready ? storeReals(out, sums) : UNMAPPED;
    free(sums);
    free(products);
    return code;
}

/* A weight is in an order that the cores take. */
static aclError nothing(const struct plan *plan)
{
    (void)plan;
    return ACL_SUCCESS;
}

#define MATRICES "the matrices do not fit together"
#define PRODUCT(operator, letters) \
    OPERATOR(operator, letters, matmul, CHECKS(FITS(productFits, MATRICES)), .need = sumsNeed)
#define SUM_OF(operator, letters, is_summed) \
    OPERATOR(operator, letters, addmm, CHECKS(SPREADS(0, RESULT), FITS(sumFits, MATRICES)), .code = is_summed)

const struct operator_row matrixRows[] = {
    PRODUCT("Matmul", "TTTc"),
    PRODUCT("Mm", "TTTc"),
    PRODUCT("BatchMatMul", "TTTc"),
    PRODUCT("Mv", "TTTc"),
    PRODUCT("Dot", "TTT"),
    OPERATOR("Addmv", "TTTSSTc", addmv, CHECKS(SPREADS(0, 5), FITS(vectorFits, MATRICES))),
    SUM_OF("Addmm", "TTTSSTc", 0),
    SUM_OF("InplaceAddmm", "=TTTSSc", 0),
    SUM_OF("Baddbmm", "TTTSSTc", 0),
    SUM_OF("InplaceBaddbmm", "=TTTSSc", 0),
    SUM_OF("Addbmm", "TTTSSTc", 1),
    SUM_OF("InplaceAddbmm", "=TTTSSc", 1),
    OPERATOR("TransMatmulWeight", "=T", nothing, CHECKS(RANKS(0, 2, RANK))),
    {0},
};
