/* Singular values by one-sided Jacobi rotations. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

enum { SWEEPS = 60 };

/* Rotates columns of `a` (rows × columns, rows >= columns) until they are orthogonal; `v` collects the rotations. */
static void rotate(int64_t rows, int64_t columns, double *a, double *v)
{
    for (int64_t i = 0; i < columns * columns; i++) {
        v[i] = i / columns == i % columns;
    }
    bool is_done = false;
    for (int sweep = 0; sweep < SWEEPS && !is_done; sweep++) {
        is_done = true;
        for (int64_t p = 0; p < columns; p++) {
            for (int64_t q = p + 1; q < columns; q++) {
                double alpha = 0, beta = 0, gamma = 0;
                for (int64_t i = 0; i < rows; i++) {
                    double one = a[i * columns + p], other = a[i * columns + q];
                    alpha += one * one;
                    beta += other * other;
                    gamma += one * other;
                }
                if (gamma == 0 || fabs(gamma) <= 1e-15 * sqrt(alpha * beta)) {
                    continue;
                }
                is_done = false;
                double zeta = (beta - alpha) / (2 * gamma), t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                double c = 1 / sqrt(1 + t * t), s = c * t;
                for (int64_t i = 0; i < rows + columns; i++) {
                    double *row = i < rows ? a + i * columns : v + (i - rows) * columns, one = row[p];
                    row[p] = c * one - s * row[q];
                    row[q] = s * one + c * row[q];
                }
            }
        }
    }
}

/* Completes the first `have` columns of an orthonormal n × n basis. */
static void complete(int64_t n, int64_t have, double *basis)
{
    for (int64_t next = 0; next < n && have < n; next++) {
        double norm = 0;
        for (int64_t i = 0; i < n; i++) {
            basis[i * n + have] = i == next;
        }
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t k = 0; k < have; k++) {
                double sum = 0;
                for (int64_t i = 0; i < n; i++) {
                    sum += basis[i * n + k] * basis[i * n + have];
                }
                for (int64_t i = 0; i < n; i++) {
                    basis[i * n + have] -= sum * basis[i * n + k];
                }
            }
        }
        for (int64_t i = 0; i < n; i++) {
            norm += basis[i * n + have] * basis[i * n + have];
        }
        if (norm > 1e-8) {
            for (int64_t i = 0; i < n; i++) {
                basis[i * n + have] /= sqrt(norm);
            }
            have++;
        }
    }
}

/* One matrix, rows >= columns: the first basis (rows × rows), the values in falling order, the second basis (columns × columns). */
static void decompose(int64_t rows, int64_t columns, double *a, double *v, double *u, double *s, double *w, int64_t *order)
{
    rotate(rows, columns, a, v);
    for (int64_t k = 0; k < columns; k++) {
        order[k] = k;
        w[k] = 0;
        for (int64_t i = 0; i < rows; i++) {
            w[k] += a[i * columns + k] * a[i * columns + k];
        }
        w[k] = sqrt(w[k]);
        for (int64_t at = k; at > 0 && w[order[at]] > w[order[at - 1]]; at--) {
            int64_t swap = order[at];
            order[at] = order[at - 1];
            order[at - 1] = swap;
        }
    }
    int64_t have = 0;
    for (int64_t k = 0; k < columns; k++) {
        s[k] = w[order[k]];
        for (int64_t i = 0; s[k] > 1e-14 * s[0] && s[k] > 0 && i < rows; i++) {
            u[i * rows + k] = a[i * columns + order[k]] / s[k];
            have = k + 1;
        }
    }
    complete(rows, have, u);
    for (int64_t i = 0; i < columns * columns; i++) {
        w[i] = v[i / columns * columns + order[i % columns]];
    }
}

/* matrix, whether bases are whole, whether they are wanted, values, first basis, second basis (its columns) */
static aclError svd(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *to_s = tensorAt(plan, 3), *to_u = tensorAt(plan, 4), *to_v = tensorAt(plan, 5);
    int64_t m = in->dims[in->rank - 2], n = in->dims[in->rank - 1], rows = m < n ? n : m, columns = m < n ? m : n;
    int64_t count = m * n == 0 ? 0 : operandCount(in) / (m * n);
    bool is_wanted = integerAt(plan, 2) != 0, is_turned = m < n;
    double *values = realsOf(in), *room = malloc(((size_t)(rows * columns + 2 * columns * columns + columns + rows * rows) + 2) * sizeof *room);
    int64_t *order = malloc(((size_t)columns + 1) * sizeof *order);
    int64_t kept_u = is_wanted && operandCount(to_u) > 0 ? to_u->dims[to_u->rank - 1] : 0;
    int64_t kept_v = is_wanted && operandCount(to_v) > 0 ? to_v->dims[to_v->rank - 1] : 0;
    double *s = calloc((size_t)operandCount(to_s) + 1, sizeof *s), *us = calloc((size_t)operandCount(to_u) + 1, sizeof *us);
    double *vs = calloc((size_t)operandCount(to_v) + 1, sizeof *vs);
    bool is_ready = values && room && order && s && us && vs;
    for (int64_t k = 0; is_ready && k < count; k++) {
        double *a = room, *v = a + rows * columns, *w = v + columns * columns, *u = w + columns * columns + columns;
        for (int64_t i = 0; i < rows * columns; i++) {
            a[i] = values[k * m * n + (is_turned ? i % columns * n + i / columns : i)];
        }
        decompose(rows, columns, a, v, u, s + k * columns, w, order);
        const double *left = is_turned ? w : u, *right = is_turned ? u : w;
        for (int64_t i = 0; i < m * kept_u; i++) {
            us[k * m * kept_u + i] = left[i / kept_u * m + i % kept_u];
        }
        for (int64_t i = 0; i < n * kept_v; i++) {
            vs[k * n * kept_v + i] = right[i / kept_v * n + i % kept_v];
        }
    }
    aclError code = is_ready ? storeReals(to_s, s) : UNMAPPED;
    code = code == ACL_SUCCESS && kept_u > 0 ? storeReals(to_u, us) : code;
    code = code == ACL_SUCCESS && kept_v > 0 ? storeReals(to_v, vs) : code;
    free(values);
    free(room);
    free(order);
    free(s);
    free(us);
    free(vs);
    return code;
}

static bool basisFits(const struct aclTensor *basis, int64_t size, int64_t count)
{
    /* Of matrices without elements it is zeros. */
    bool is_basis = basis->rank >= 2 && basis->dims[basis->rank - 1] <= size && operandCount(basis) == count * size * basis->dims[basis->rank - 1];
    return operandCount(basis) == 0 || is_basis || (basis->rank >= 2 && count == 0);
}

static bool basesFit(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *s = tensorAt(plan, 3);
    int64_t m = in->dims[in->rank - 2], n = in->dims[in->rank - 1], count = m * n == 0 ? 0 : operandCount(in) / (m * n);
    bool is_wanted = integerAt(plan, 2) != 0;
    return operandCount(s) == count * (m < n ? m : n) && (!is_wanted || (basisFits(tensorAt(plan, 4), m, count) && basisFits(tensorAt(plan, 5), n, count)));
}

const struct operator_row singularRows[] = {
    OPERATOR("Svd", "TbbTTT", svd, CHECKS(RANKS(0, 2, RANK), FITS(basesFit, "the results' shapes are not those of argument 1"))),
    {0},
};
