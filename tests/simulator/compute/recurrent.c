#include "recurrent.h"

#include <math.h>
#include <stdlib.h>

static double sigmoid(double value)
{
    return 1 / (1 + exp(-value));
}

static int64_t stepAt(const struct recurrence *cell, int64_t i)
{
    return cell->is_reversed ? cell->steps - 1 - i : i;
}

/* The state before the i-th step. */
static const double *before(const struct recurrence *cell, int64_t i, const double *first, const double *states)
{
    return i == 0 ? first : states + stepAt(cell, i - 1) * cell->batch * cell->hidden;
}

/* sums (batch × rows) = x · wᵀ + b */
static void project(int64_t batch, int64_t rows, int64_t columns, const double *x, const double *w, const double *b, double *sums)
{
    for (int64_t i = 0; i < batch; i++) {
        for (int64_t row = 0; row < rows; row++) {
            double sum = b == NULL ? 0 : b[row];
            for (int64_t k = 0; k < columns; k++) {
                sum += x[i * columns + k] * w[row * columns + k];
            }
            sums[i * rows + row] = sum;
        }
    }
}

/* The same, backwards. */
static void projectBack(int64_t batch, int64_t rows, int64_t columns, const double *slopes, const double *x, const double *w,
                        double *dx, double *dw, double *db)
{
    for (int64_t i = 0; i < batch; i++) {
        for (int64_t row = 0; row < rows; row++) {
            double slope = slopes[i * rows + row];
            db[row] += slope;
            for (int64_t k = 0; k < columns; k++) {
                dx[i * columns + k] += slope * w[row * columns + k];
                dw[row * columns + k] += slope * x[i * columns + k];
            }
        }
    }
}

bool lstmForward(const struct recurrence *cell)
{
    int64_t hidden = cell->hidden, size = cell->batch * hidden, rows = 4 * hidden;
    double *one = malloc(((size_t)(8 * size) + 1) * sizeof *one), *other = one + 4 * size;
    if (one == NULL) {
        return false;
    }
    for (int64_t i = 0; i < cell->steps; i++) {
        int64_t step = stepAt(cell, i);
        const double *c_before = before(cell, i, cell->c_first, cell->c);
        project(cell->batch, rows, cell->in, cell->x + step * cell->batch * cell->in, cell->w_in, cell->b_in, one);
        project(cell->batch, rows, hidden, before(cell, i, cell->h_first, cell->h), cell->w_hidden, cell->b_hidden, other);
        for (int64_t k = 0; k < size; k++) {
            int64_t at = k / hidden * rows + k % hidden, to = step * size + k;
            double in = sigmoid(one[at] + other[at]), forget = sigmoid(one[at + hidden] + other[at + hidden]);
            double fresh = tanh(one[at + 2 * hidden] + other[at + 2 * hidden]);
            double out = sigmoid(one[at + 3 * hidden] + other[at + 3 * hidden]);
            double c = forget * c_before[k] + in * fresh, values[KEPT] = {in, forget, fresh, out, tanh(c)};
            for (int kept = 0; kept < KEPT; kept++) {
                cell->kept[kept][to] = values[kept];
            }
            cell->c[to] = c;
            cell->h[to] = out * tanh(c);
        }
    }
    free(one);
    return true;
}

bool lstmBackward(const struct recurrence *cell, const struct recurrence_gradient *gradient)
{
    int64_t hidden = cell->hidden, size = cell->batch * hidden, rows = 4 * hidden;
    double *slopes = malloc(((size_t)(4 * size) + 1) * sizeof *slopes);
    if (slopes == NULL) {
        return false;
    }
    for (int64_t i = cell->steps - 1; i >= 0; i--) {
        int64_t step = stepAt(cell, i);
        const double *c_before = before(cell, i, cell->c_first, cell->c);
        for (int64_t k = 0; k < size; k++) {
            int64_t at = k / hidden * rows + k % hidden, from = step * size + k;
            double in = cell->kept[0][from], forget = cell->kept[1][from], fresh = cell->kept[2][from];
            double out = cell->kept[3][from], bent = cell->kept[4][from];
            double dh = gradient->dh[k] + (gradient->dy ? gradient->dy[from] : 0);
            double dc = gradient->dc[k] + dh * out * (1 - bent * bent);
            slopes[at] = dc * fresh * in * (1 - in);
            slopes[at + hidden] = dc * c_before[k] * forget * (1 - forget);
            slopes[at + 2 * hidden] = dc * in * (1 - fresh * fresh);
            slopes[at + 3 * hidden] = dh * bent * out * (1 - out);
            gradient->dc[k] = dc * forget;
            gradient->dh[k] = 0;
        }
        int64_t place = step * cell->batch * cell->in;
        projectBack(cell->batch, rows, cell->in, slopes, cell->x + place, cell->w_in, gradient->dx + place, gradient->dw_in,
                    gradient->db_in);
        projectBack(cell->batch, rows, hidden, slopes, before(cell, i, cell->h_first, cell->h), cell->w_hidden, gradient->dh,
                    gradient->dw_hidden, gradient->db_hidden);
    }
    free(slopes);
    return true;
}

bool gruForward(const struct recurrence *cell)
{
    int64_t hidden = cell->hidden, size = cell->batch * hidden, rows = 3 * hidden;
    double *one = malloc(((size_t)(6 * size) + 1) * sizeof *one), *other = one + 3 * size;
    if (one == NULL) {
        return false;
    }
    for (int64_t i = 0; i < cell->steps; i++) {
        int64_t step = stepAt(cell, i);
        const double *h_before = before(cell, i, cell->h_first, cell->h);
        project(cell->batch, rows, cell->in, cell->x + step * cell->batch * cell->in, cell->w_in, cell->b_in, one);
        project(cell->batch, rows, hidden, h_before, cell->w_hidden, cell->b_hidden, other);
        for (int64_t k = 0; k < size; k++) {
            int64_t at = k / hidden * rows + k % hidden, to = step * size + k;
            double reset = sigmoid(one[at] + other[at]), update = sigmoid(one[at + hidden] + other[at + hidden]);
            double part = other[at + 2 * hidden], fresh = tanh(one[at + 2 * hidden] + reset * part);
            double values[] = {reset, update, fresh, part};
            for (int kept = 0; kept < 4; kept++) {
                cell->kept[kept][to] = values[kept];
            }
            cell->h[to] = (1 - update) * fresh + update * h_before[k];
        }
    }
    free(one);
    return true;
}

bool gruBackward(const struct recurrence *cell, const struct recurrence_gradient *gradient)
{
    int64_t hidden = cell->hidden, size = cell->batch * hidden, rows = 3 * hidden;
    double *one = malloc(((size_t)(6 * size) + 1) * sizeof *one), *other = one + 3 * size;
    if (one == NULL) {
        return false;
    }
    for (int64_t i = cell->steps - 1; i >= 0; i--) {
        int64_t step = stepAt(cell, i);
        const double *h_before = before(cell, i, cell->h_first, cell->h);
        for (int64_t k = 0; k < size; k++) {
            int64_t at = k / hidden * rows + k % hidden, from = step * size + k;
            double reset = cell->kept[0][from], update = cell->kept[1][from];
            double fresh = cell->kept[2][from], part = cell->kept[3][from];
            double dh = gradient->dh[k] + (gradient->dy ? gradient->dy[from] : 0);
            double slope = dh * (1 - update) * (1 - fresh * fresh);
            one[at] = other[at] = slope * part * reset * (1 - reset);
            one[at + hidden] = other[at + hidden] = dh * (h_before[k] - fresh) * update * (1 - update);
            one[at + 2 * hidden] = slope;
            other[at + 2 * hidden] = slope * reset;
            gradient->dh[k] = dh * update;
        }
        int64_t place = step * cell->batch * cell->in;
        projectBack(cell->batch, rows, cell->in, one, cell->x + place, cell->w_in, gradient->dx + place, gradient->dw_in,
                    gradient->db_in);
        projectBack(cell->batch, rows, hidden, other, h_before, cell->w_hidden, gradient->dh, gradient->dw_hidden, gradient->db_hidden);
    }
    free(one);
    return true;
}
