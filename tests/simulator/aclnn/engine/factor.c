/* Factors of matrices: Cholesky's, QR, singular values, triangular systems, inverses and determinants. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operator.h"

/* Matrices of a batch, dense, in double precision. */
struct batch {
    int64_t count, rows, columns;
    double *values;
};

static struct batch batchOf(const struct aclTensor *tensor)
{
    struct batch batch = {0, tensor->dims[tensor->rank - 2], tensor->dims[tensor->rank - 1], realsOf(tensor)};
    int64_t size = batch.rows * batch.columns;
    batch.count = size == 0 ? 0 : operandCount(tensor) / size;
    return batch;
}

/* matrix, whether it is upper, result: NaN where the matrix is not positive definite */
static aclError cholesky(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 2);
    struct batch batch = batchOf(tensorAt(plan, 0));
    bool is_upper = integerAt(plan, 1) != 0;
    int64_t n = batch.rows;
    double *results = calloc((size_t)operandCount(out) + 1, sizeof *results);
    for (int64_t k = 0; batch.values && results && k < batch.count; k++) {
        const double *a = batch.values + k * n * n;
        double *l = results + k * n * n;
        for (int64_t i = 0; i < n * n; i++) {
            int64_t row = i / n, column = i % n;
            double sum = is_upper ? a[column * n + row] : a[row * n + column];
            for (int64_t at = 0; column <= row && at < column; at++) {
                sum -= l[row * n + at] * l[column * n + at];
            }
            l[i] = column > row ? 0 : column == row ? sqrt(sum) : sum / l[column * n + column];
        }
        for (int64_t i = 0; is_upper && i < n; i++) {
            for (int64_t j = i + 1; j < n; j++) {
                l[i * n + j] = l[j * n + i];
                l[j * n + i] = 0;
            }
        }
    }
    aclError code = batch.values && results ? storeReals(out, results) : UNMAPPED;
    free(batch.values);
    free(results);
    return code;
}

/* right side, matrix, upper, transposed, whether the diagonal is ones, solution, copy of the matrix */
static aclError triangularSolve(const struct plan *plan)
{
    struct batch right = batchOf(tensorAt(plan, 0)), matrix = batchOf(tensorAt(plan, 1));
    bool is_transposed = integerAt(plan, 3) != 0, is_upper = (integerAt(plan, 2) != 0) != is_transposed, is_unit = integerAt(plan, 4) != 0;
    int64_t n = matrix.rows, columns = right.columns;
    bool is_ready = right.values && matrix.values;
    for (int64_t k = 0; is_ready && k < right.count; k++) {
        const double *a = matrix.values + (matrix.count == 1 ? 0 : k) * n * n;
        double *x = right.values + k * n * columns;
        for (int64_t step = 0; step < n; step++) {
            int64_t row = is_upper ? n - 1 - step : step;
            for (int64_t column = 0; column < columns; column++) {
                double sum = x[row * columns + column];
                for (int64_t at = is_upper ? row + 1 : 0; at < (is_upper ? n : row); at++) {
                    sum -= (is_transposed ? a[at * n + row] : a[row * n + at]) * x[at * columns + column];
                }
                x[row * columns + column] = is_unit ? sum : sum / a[row * n + row];
            }
        }
    }
    aclError code = is_ready ? storeReals(tensorAt(plan, 5), right.values) : UNMAPPED;
    code = code == ACL_SUCCESS && operandCount(tensorAt(plan, 6)) == operandCount(tensorAt(plan, 1)) ? storeReals(tensorAt(plan, 6), matrix.values) : code;
    free(right.values);
    free(matrix.values);
    return code;
}

/* Householder's method: `r` holds the matrix and becomes R, `q` (rows × rows) becomes Q. */
static void orthogonalize(int64_t rows, int64_t columns, double *r, double *q, double *v)
{
    for (int64_t i = 0; i < rows * rows; i++) {
        q[i] = i / rows == i % rows;
    }
    for (int64_t k = 0; k < columns && k < rows - 1; k++) {
        double norm = 0, square = 0;
        for (int64_t i = k; i < rows; i++) {
            norm += r[i * columns + k] * r[i * columns + k];
        }
        norm = sqrt(norm);
        double tail = 0;
        for (int64_t i = k + 1; i < rows; i++) {
            tail += fabs(r[i * columns + k]);
        }
        if (norm == 0 || tail == 0) {
            continue;
        }
        for (int64_t i = k; i < rows; i++) {
            v[i] = r[i * columns + k];
        }
        v[k] += v[k] < 0 ? -norm : norm;
        for (int64_t i = k; i < rows; i++) {
            square += v[i] * v[i];
        }
        for (int64_t column = k; column < columns; column++) {
            double sum = 0;
            for (int64_t i = k; i < rows; i++) {
                sum += v[i] * r[i * columns + column];
            }
            for (int64_t i = k; i < rows; i++) {
                r[i * columns + column] -= 2 * sum / square * v[i];
            }
        }
        for (int64_t row = 0; row < rows; row++) {
            double sum = 0;
            for (int64_t i = k; i < rows; i++) {
                sum += v[i] * q[row * rows + i];
            }
            for (int64_t i = k; i < rows; i++) {
                q[row * rows + i] -= 2 * sum / square * v[i];
            }
        }
    }
}

/* matrix, mode (0 reduced, 1 complete, 2 only R), Q, R */
static aclError qr(const struct plan *plan)
{
    struct batch batch = batchOf(tensorAt(plan, 0));
    const struct aclTensor *to_q = tensorAt(plan, 2), *to_r = tensorAt(plan, 3);
    int64_t rows = batch.rows, columns = batch.columns, kept_q = to_q->rank < 2 ? 0 : to_q->dims[to_q->rank - 1], kept_r = to_r->dims[to_r->rank - 2];
    double *q = malloc(((size_t)(rows * rows) + 1) * sizeof *q), *v = malloc(((size_t)rows + 1) * sizeof *v);
    double *qs = calloc((size_t)operandCount(to_q) + 1, sizeof *qs), *rs = calloc((size_t)operandCount(to_r) + 1, sizeof *rs);
    bool is_ready = batch.values && q && v && qs && rs;
    for (int64_t k = 0; is_ready && k < batch.count; k++) {
        double *r = batch.values + k * rows * columns;
        orthogonalize(rows, columns, r, q, v);
        for (int64_t i = 0; integerAt(plan, 1) != 2 && i < rows * kept_q; i++) {
            qs[k * rows * kept_q + i] = q[i / kept_q * rows + i % kept_q];
        }
        for (int64_t i = 0; i < kept_r * columns; i++) {
            rs[k * kept_r * columns + i] = i % columns < i / columns ? 0 : r[i];
        }
    }
    for (int64_t i = 0; is_ready && batch.count == 0 && rows > 0 && i < operandCount(to_q); i++) {
        qs[i] = i % rows == i / rows % rows;
    }
    aclError code = is_ready ? storeReals(to_r, rs) : UNMAPPED;
    code = code == ACL_SUCCESS && integerAt(plan, 1) != 2 ? storeReals(to_q, qs) : code;
    free(batch.values);
    free(q);
    free(v);
    free(qs);
    free(rs);
    return code;
}

/* Gauss-Jordan with pivots: `inverse` becomes that of `a`, which is destroyed. The determinant's sign and logarithm. */
static void invert(int64_t n, double *a, double *inverse, double *sign, double *logarithm)
{
    *sign = 1;
    *logarithm = 0;
    for (int64_t i = 0; i < n * n; i++) {
        inverse[i] = i / n == i % n;
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < n; i++) {
            pivot = fabs(a[i * n + k]) > fabs(a[pivot * n + k]) ? i : pivot;
        }
        for (int64_t i = 0; pivot != k && i < n; i++) {
            double one = a[k * n + i], other = inverse[k * n + i];
            a[k * n + i] = a[pivot * n + i];
            a[pivot * n + i] = one;
            inverse[k * n + i] = inverse[pivot * n + i];
            inverse[pivot * n + i] = other;
        }
        double head = a[k * n + k];
        *sign *= (pivot != k ? -1 : 1) * (double)((head > 0) - (head < 0));
        *logarithm += log(fabs(head));
        for (int64_t i = 0; i < n; i++) {
            a[k * n + i] /= head;
            inverse[k * n + i] /= head;
        }
        for (int64_t row = 0; row < n; row++) {
            double factor = row == k ? 0 : a[row * n + k];
            for (int64_t i = 0; factor != 0 && i < n; i++) {
                a[row * n + i] -= factor * a[k * n + i];
                inverse[row * n + i] -= factor * inverse[k * n + i];
            }
        }
    }
}

/* matrix, inverse; or (code 1) matrix, sign, logarithm */
static aclError inverse(const struct plan *plan)
{
    struct batch batch = batchOf(tensorAt(plan, 0));
    int64_t n = batch.rows, count = operandCount(tensorAt(plan, 1));
    double *results = malloc(((size_t)(batch.count * n * n) + 1) * sizeof *results);
    double *signs = malloc(((size_t)count + 1) * sizeof *signs), *logarithms = calloc((size_t)count + 1, sizeof *logarithms);
    bool is_ready = batch.values && results && signs && logarithms, is_determinant = plan->row->code == 1;
    for (int64_t i = 0; is_ready && is_determinant && i < count; i++) {
        signs[i] = 1;
    }
    for (int64_t k = 0; is_ready && k < batch.count; k++) {
        int64_t at = is_determinant ? k : 0;
        invert(n, batch.values + k * n * n, results + k * n * n, &signs[at], &logarithms[at]);
    }
    aclError code = !is_ready ? UNMAPPED : storeReals(tensorAt(plan, 1), is_determinant ? signs : results);
    code = code == ACL_SUCCESS && is_determinant ? storeReals(tensorAt(plan, 2), logarithms) : code;
    free(batch.values);
    free(results);
    free(signs);
    free(logarithms);
    return code;
}

static int64_t matricesOf(const struct aclTensor *tensor)
{
    int64_t count = 1;
    for (int axis = 0; axis < tensor->rank - 2; axis++) {
        count *= tensor->dims[axis];
    }
    return count;
}

static bool batchesFit(const struct plan *plan)
{
    int64_t count = matricesOf(tensorAt(plan, 1));
    return count == 1 || count == matricesOf(tensorAt(plan, 0));
}

static bool qrFits(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *q = tensorAt(plan, 2), *r = tensorAt(plan, 3);
    int64_t rows = in->dims[in->rank - 2], columns = in->dims[in->rank - 1], count = matricesOf(in);
    bool fits = r->dims[r->rank - 1] == columns && r->dims[r->rank - 2] <= rows && matricesOf(r) == count;
    return fits && (integerAt(plan, 1) == 2 || (q->rank >= 2 && q->dims[q->rank - 2] == rows && q->dims[q->rank - 1] <= rows && matricesOf(q) == count));
}

static bool determinantsFit(const struct plan *plan)
{
    return operandCount(tensorAt(plan, 1)) == matricesOf(tensorAt(plan, 0));
}

#define ROW(operator, letters, function, what, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .code = what)

const struct operator_row factorRows[] = {
    ROW("LinalgCholesky", "TbT", cholesky, 0, SIZES(0, -2, 0, -1), AS_MANY(2, 0)),
    ROW("TriangularSolve", "TTbbbTT", triangularSolve, 0, SIZES(1, -2, 1, -1), SIZES(0, -2, 1, -2), FITS(batchesFit, "arguments 1 and 2 have batches that differ"), AS_MANY(5, 0)),
    ROW("LinalgQr", "TnTT", qr, 0, RANKS(0, 2, RANK), RANKS(3, 2, RANK), FITS(qrFits, "the factors' shapes are not those of argument 1")),
    ROW("Inverse", "TT", inverse, 0, SIZES(0, -2, 0, -1), AS_MANY(1, 0)),
    ROW("Slogdet", "TTT", inverse, 1, SIZES(0, -2, 0, -1), AS_MANY(2, 1), FITS(determinantsFit, "argument 2 has not one element for each matrix")),
    {0},
};
