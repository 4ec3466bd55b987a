/* Scaled dot-product attention of torch_npu, forward and backward: four layouts, groups of heads that share keys, a mask of the whole or the
 * causal one. */
#include <math.h>
#include <stdlib.h>

#include "layouts.h"
#include "operator.h"

enum { CAUSAL = 2 };

struct attention {
    int64_t batch, heads, key_heads, places, keys, width, value_width;
    double scale, keep;
    bool is_causal;
    double *q, *k, *v, *mask, *dropped, *up;
    double *dq, *dk, *dv;
    double *weights; /* of one head */
};

/* What a head's places give to its keys; also the largest score of each place and the sum below its fraction. */
static void weigh(const struct attention *at, int64_t batch, int64_t head, double *most, double *sum)
{
    int64_t key_head = head / (at->heads / at->key_heads);
    const double *q = at->q + (batch * at->heads + head) * at->places * at->width;
    const double *k = at->k + (batch * at->key_heads + key_head) * at->keys * at->width;
    for (int64_t i = 0; i < at->places; i++) {
        double *row = at->weights + i * at->keys;
        most[i] = -INFINITY;
        for (int64_t j = 0; j < at->keys; j++) {
            double score = 0;
            for (int64_t c = 0; c < at->width; c++) {
                score += q[i * at->width + c] * k[j * at->width + c];
            }
            bool is_hidden = at->is_causal ? j > i : at->mask && at->mask[((batch * at->heads + head) * at->places + i) * at->keys + j] != 0;
            row[j] = is_hidden ? -INFINITY : score * at->scale;
            most[i] = row[j] > most[i] ? row[j] : most[i];
        }
        sum[i] = 0;
        for (int64_t j = 0; j < at->keys; j++) {
            row[j] = isinf(most[i]) ? 0 : exp(row[j] - most[i]);
            sum[i] += row[j];
        }
        for (int64_t j = 0; j < at->keys; j++) {
            row[j] = sum[i] > 0 ? row[j] / sum[i] : 0;
        }
    }
}

/* What dropout leaves of a weight: a bit for each. */
static double kept(const struct attention *at, int64_t batch, int64_t head, int64_t i, int64_t j)
{
    if (at->dropped == NULL) {
        return 1;
    }
    int64_t bit = ((batch * at->heads + head) * at->places + i) * at->keys + j;
    return (wholeOf(at->dropped[bit / 8]) >> (bit % 8) & 1) != 0 ? 1 / at->keep : 0;
}

/* The operands of an attention, or their gradients, as batches of heads of places: queries, keys, values and what has the result's shape. The
 * numbers begin with the scale. */
static bool arrange(const struct plan *plan, int first_number, const int arguments[4], struct aclTensor by_heads[4])
{
    const struct aclTensor *q = tensorAt(plan, arguments[0]), *k = tensorAt(plan, arguments[1]);
    int64_t layout = integerAt(plan, first_number + 5), heads = integerAt(plan, first_number + 4), key_heads = heads;
    if (layout == LAYOUT_BNSD || layout == LAYOUT_BSND) {
        /* Shapes say how many heads there are. */
        int axis = layout == LAYOUT_BNSD ? 1 : 2;
        heads = q->rank == 4 ? q->dims[axis] : 0;
        key_heads = k->rank == 4 ? k->dims[axis] : 0;
    } else if (q->rank == 3 && k->rank == 3 && heads > 0 && q->dims[2] >= heads) {
        key_heads = k->dims[2] / (q->dims[2] / heads);
    }
    for (int i = 0; i < 4; i++) {
        if (!arrangedByHeads(tensorAt(plan, arguments[i]), layout, i == 1 || i == 2 ? key_heads : heads, &by_heads[i])) {
            return false;
        }
    }
    return true;
}

static const int forward_operands[] = {0, 1, 2, 19}, backward_operands[] = {0, 1, 2, 3}, gradients[] = {21, 22, 23, 3};

static bool prepare(struct attention *at, const struct plan *plan, int mask, int drop, int first_number)
{
    struct aclTensor operands[4], *q = &operands[0], *k = &operands[1], *v = &operands[2];
    (void)arrange(plan, first_number, first_number == 8 ? forward_operands : backward_operands, operands);
    *at = (struct attention){.batch = q->dims[0], .heads = q->dims[1], .places = q->dims[2], .width = q->dims[3]};
    at->key_heads = k->dims[1];
    at->keys = k->dims[2];
    at->value_width = v->dims[3];
    at->scale = numberAt(plan, first_number);
    at->keep = numberAt(plan, first_number + 1);
    at->is_causal = integerAt(plan, first_number + 7) == CAUSAL;
    at->up = first_number == 8 ? NULL : realsOf(&operands[3]);
    at->q = realsOf(q);
    at->k = realsOf(k);
    at->v = realsOf(v);
    at->weights = malloc(((size_t)(at->places * at->keys) + 1) * sizeof(double));
    bool is_ready = at->q && at->k && at->v && at->weights;
    if (is_ready && tensorAt(plan, mask) != NULL && !at->is_causal) {
        int64_t dims[] = {at->batch, at->heads, at->places, at->keys}, count = at->batch * at->heads * at->places * at->keys;
        struct spread spread;
        at->mask = malloc(((size_t)count + 1) * sizeof(double));
        is_ready = at->mask && spreadOver(&spread, tensorAt(plan, mask), 4, dims);
        if (is_ready && count > 0) {
            takeReals(&spread, 0, count, at->mask);
        }
    }
    if (is_ready && tensorAt(plan, drop) != NULL && at->keep < 1) {
        at->dropped = realsOf(tensorAt(plan, drop));
        is_ready = at->dropped != NULL;
    }
    return is_ready;
}

static aclError end(struct attention *at, aclError code)
{
    double *all[] = {at->q, at->k, at->v, at->mask, at->dropped, at->up, at->dq, at->dk, at->dv, at->weights};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    return code;
}

/* The same number for each element of the last dimension. */
static aclError repeated(const struct aclTensor *tensor, const double *values)
{
    int64_t count = operandCount(tensor), last = tensor->rank == 0 ? 1 : tensor->dims[tensor->rank - 1];
    double *all = malloc(((size_t)count + 1) * sizeof *all);
    for (int64_t i = 0; all && i < count; i++) {
        all[i] = values[i / last];
    }
    aclError code = all ? storeReals(tensor, all) : NO_ROOM;
    free(all);
    return code;
}

/* q, k, v, shift, dropped, padding, mask, prefix, scale, keep, …, largest, sums, unused, result */
static aclError forward(const struct plan *plan)
{
    struct attention at;
    bool is_ready = prepare(&at, plan, 6, 4, 8);
    int64_t rows = at.batch * at.heads * at.places;
    double *most = malloc(((size_t)rows + 1) * sizeof *most), *sums = malloc(((size_t)rows + 1) * sizeof *sums);
    double *out = calloc((size_t)(rows * at.value_width) + 1, sizeof *out);
    is_ready = is_ready && most && sums && out;
    for (int64_t unit = 0; is_ready && unit < at.batch * at.heads; unit++) {
        int64_t batch = unit / at.heads, head = unit % at.heads, key_head = head / (at.heads / at.key_heads);
        const double *v = at.v + (batch * at.key_heads + key_head) * at.keys * at.value_width;
        weigh(&at, batch, head, most + unit * at.places, sums + unit * at.places);
        for (int64_t i = 0; i < at.places; i++) {
            double *row = out + (unit * at.places + i) * at.value_width;
            for (int64_t j = 0; j < at.keys; j++) {
                double weight = at.weights[i * at.keys + j] * kept(&at, batch, head, i, j);
                for (int64_t c = 0; c < at.value_width; c++) {
                    row[c] += weight * v[j * at.value_width + c];
                }
            }
        }
    }
    struct aclTensor operands[4];
    is_ready = is_ready && arrange(plan, 8, forward_operands, operands);
    aclError code = is_ready ? storeReals(&operands[3], out) : UNMAPPED;
    code = code == ACL_SUCCESS && tensorAt(plan, 16) ? repeated(tensorAt(plan, 16), most) : code;
    code = code == ACL_SUCCESS && tensorAt(plan, 17) ? repeated(tensorAt(plan, 17), sums) : code;
    free(most);
    free(sums);
    free(out);
    return end(&at, code);
}

/* q, k, v, gradient, shift, dropped, padding, mask, largest, sums, unused, result, prefix, scale, keep, …, gradients of q, k, v */
static aclError backward(const struct plan *plan)
{
    struct attention at;
    bool is_ready = prepare(&at, plan, 7, 5, 13);
    double *most = malloc(((size_t)at.places + 1) * sizeof *most), *sums = malloc(((size_t)at.places + 1) * sizeof *sums);
    double *steps = malloc(((size_t)at.keys + 1) * sizeof *steps);
    at.dq = calloc((size_t)operandCount(tensorAt(plan, 0)) + 1, sizeof(double));
    at.dk = calloc((size_t)operandCount(tensorAt(plan, 1)) + 1, sizeof(double));
    at.dv = calloc((size_t)operandCount(tensorAt(plan, 2)) + 1, sizeof(double));
    is_ready = is_ready && most && sums && steps && at.up && at.dq && at.dk && at.dv;
    for (int64_t unit = 0; is_ready && unit < at.batch * at.heads; unit++) {
        int64_t batch = unit / at.heads, head = unit % at.heads, key_head = batch * at.key_heads + head / (at.heads / at.key_heads);
        const double *q = at.q + unit * at.places * at.width, *k = at.k + key_head * at.keys * at.width;
        const double *v = at.v + key_head * at.keys * at.value_width, *up = at.up + unit * at.places * at.value_width;
        double *dq = at.dq + unit * at.places * at.width, *dk = at.dk + key_head * at.keys * at.width;
        double *dv = at.dv + key_head * at.keys * at.value_width;
        weigh(&at, batch, head, most, sums);
        for (int64_t i = 0; i < at.places; i++) {
            double sum = 0;
            for (int64_t j = 0; j < at.keys; j++) {
                double weight = at.weights[i * at.keys + j], part = kept(&at, batch, head, i, j);
                steps[j] = 0;
                for (int64_t c = 0; c < at.value_width; c++) {
                    steps[j] += up[i * at.value_width + c] * v[j * at.value_width + c] * part;
                    dv[j * at.value_width + c] += weight * part * up[i * at.value_width + c];
                }
                sum += steps[j] * weight;
            }
            for (int64_t j = 0; j < at.keys; j++) {
                double step = at.weights[i * at.keys + j] * (steps[j] - sum) * at.scale;
                for (int64_t c = 0; c < at.width; c++) {
                    dq[i * at.width + c] += step * k[j * at.width + c];
                    dk[j * at.width + c] += step * q[i * at.width + c];
                }
            }
        }
    }
    struct aclTensor to[4];
    is_ready = is_ready && arrange(plan, 13, gradients, to);
    aclError code = is_ready ? storeReals(&to[0], at.dq) : UNMAPPED;
    code = code == ACL_SUCCESS ? storeReals(&to[1], at.dk) : code;
    code = code == ACL_SUCCESS ? storeReals(&to[2], at.dv) : code;
    free(most);
    free(sums);
    free(steps);
    return end(&at, code);
}

/* Everything else (packed batches, shifts, bands, prefixes) is refused. */
static bool fits(const struct plan *plan)
{
    bool is_backward = plan->row->compute == backward;
    int number = is_backward ? 13 : 8, shift = is_backward ? 4 : 3, drop = shift + 1, mask = shift + 3;
    struct aclTensor operands[4];
    const struct aclTensor *q = &operands[0], *k = &operands[1], *v = &operands[2], *hidden = tensorAt(plan, mask);
    const struct aclTensor *bits = tensorAt(plan, drop);
    int64_t mode = integerAt(plan, number + 7);
    bool is_taken = (mode == 0 || mode == 1 || mode == CAUSAL) &&
                    (tensorAt(plan, shift) == NULL || operandCount(tensorAt(plan, shift)) == 0);
    if (!is_taken) {
        return refuse("shifts, bands and prefixes are not taken");
    }
    if (!arrange(plan, number, is_backward ? backward_operands : forward_operands, operands)) {
        return refuse("operands of shapes %s and %s have not the layout BNSD, BSND, BSH or SBH with %lld heads", shapeText(tensorAt(plan, 0)),
                      shapeText(tensorAt(plan, 1)), (long long)integerAt(plan, number + 4));
    }
    bool are_alike = k->dims[1] > 0 && q->dims[1] % k->dims[1] == 0 && q->dims[0] == k->dims[0];
    if (!are_alike || q->dims[3] != k->dims[3] || k->dims[0] != v->dims[0] || k->dims[1] != v->dims[1] || k->dims[2] != v->dims[2]) {
        return refuse("a query of shape %s does not fit keys of shape %s or their values", shapeText(q), shapeText(k));
    }
    struct aclTensor weights = *q, out = *q;
    weights.dims[3] = k->dims[2];
    out.dims[3] = v->dims[3];
    if (mode != CAUSAL && hidden != NULL && !operandSpreads(hidden, &weights)) {
        return refuse("argument %d of shape %s does not broadcast to weights of shape %s", mask + 1, shapeText(hidden), shapeText(&weights));
    }
    if (bits != NULL && numberAt(plan, number + 1) < 1 && operandCount(bits) < (operandCount(&weights) + 7) / 8) {
        return refuse("argument %d of shape %s has not a bit for each weight of shape %s", drop + 1, shapeText(bits), shapeText(&weights));
    }
    return operandSameShape(&operands[3], &out) || refuse("the result has not the shape %s by heads", shapeText(&out));
}

/* Statistics of rows: some numbers for each, all the same. */
static bool rowsFit(const struct plan *plan)
{
    struct aclTensor operands[4];
    const struct aclTensor *q = &operands[0];
    (void)arrange(plan, 8, forward_operands, operands);
    for (int at = 16; at <= 17; at++) {
        const struct aclTensor *tensor = tensorAt(plan, at);
        int64_t last = tensor == NULL || tensor->rank == 0 ? 1 : tensor->dims[tensor->rank - 1];
        if (tensor != NULL && operandCount(tensor) > last * q->dims[0] * q->dims[1] * q->dims[2]) {
            return refuse("argument %d of shape %s has more rows than argument 1 of shape %s", at + 1, shapeText(tensor), shapeText(tensorAt(plan, 0)));
        }
    }
    return true;
}

#define SHAPES "the shapes do not fit together"

const struct operator_row attentionRows[] = {
    OPERATOR("FlashAttentionScore", "TTTttttiddnnnqnntttT", forward, CHECKS(FITS(fits, SHAPES), FITS(rowsFit, SHAPES))),
    OPERATOR("FlashAttentionScoreGrad", "TTTTttttttttiddnnnqnnTTTt", backward,
             CHECKS(FITS(fits, SHAPES), SAME(21, 0), SAME(22, 1), SAME(23, 2))),
    {0},
};
