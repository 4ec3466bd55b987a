/* Attention for inference, FusedInferAttentionScore: batches of heads in three layouts, shared keys, shifts, masks, lengths of the keys. Quantized
 * operands, paged caches, prefixes, rotated parts, packed batches and bands are taken and leave the result alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layouts.h"
#include "matrix.h"
#include "operator.h"

/* Arguments that all versions have at the same place. */
enum { QUERY, KEY, VALUE, SHIFT, MASK, QUERY_LENGTHS, KEY_LENGTHS, FIRST_OTHER };
/* From the number of heads on. */
enum { HEADS, SCALE, BEFORE, AFTER, LAYOUT, KEY_HEADS, SPARSE, PRECISE, BLOCK, ANTIQUANT, WITH_SUMS };
enum { GIVEN, EVERYTHING, FROM_LEFT, FROM_RIGHT };

/* The argument that is the number of heads: the only one among numbers that is followed by a real one. */
static int numbersAt(const struct plan *plan)
{
    int at = FIRST_OTHER;
    while (plan->arguments[at].kind != 'n') {
        at++;
    }
    return at;
}

static int outAt(const struct plan *plan)
{
    return plan->arguments_count - 2;
}

struct fused {
    struct aclTensor q, k, v, out;
    int64_t heads, key_heads, sparse, before, after;
    double scale;
};

static bool fusedOf(const struct plan *plan, struct fused *at)
{
    int first = numbersAt(plan);
    int64_t layout = integerAt(plan, first + LAYOUT), key_heads = integerAt(plan, first + KEY_HEADS);
    at->heads = integerAt(plan, first + HEADS);
    at->key_heads = key_heads == 0 ? at->heads : key_heads;
    at->scale = numberAt(plan, first + SCALE);
    at->sparse = integerAt(plan, first + SPARSE);
    at->before = integerAt(plan, first + BEFORE);
    at->after = integerAt(plan, first + AFTER);
    return arrangedByHeads(tensorAt(plan, QUERY), layout, at->heads, &at->q) && arrangedByHeads(tensorAt(plan, KEY), layout, at->key_heads, &at->k) &&
           arrangedByHeads(tensorAt(plan, VALUE), layout, at->key_heads, &at->v) && arrangedByHeads(tensorAt(plan, outAt(plan)), layout, at->heads, &at->out);
}

/* How many keys a batch has. */
static int64_t keysOf(const struct plan *plan, const struct fused *at, int64_t batch)
{
    int count = countAt(plan, KEY_LENGTHS);
    return count == 0 ? at->k.dims[2] : integersAt(plan, KEY_LENGTHS)[count == 1 ? 0 : batch];
}

/* Scores of one head become weights; `largest` and `sum` of the last row tell all that its sums need. */
static void weigh(const struct fused *at, float *scores, const double *shifts, const double *hidden, int64_t keys, double *sums)
{
    int64_t places = at->q.dims[2], all = at->k.dims[2];
    for (int64_t i = 0; i < places; i++) {
        float *row = scores + i * all;
        double most = -INFINITY, sum = 0;
        for (int64_t j = 0; j < all; j++) {
            bool is_outside = (at->sparse == FROM_LEFT && j > i) || (at->sparse == FROM_RIGHT && j - i > keys - places) ||
                              (at->sparse == GIVEN && hidden && (i - j > at->before || j - i > at->after));
            bool is_hidden = j >= keys || is_outside || (hidden && at->sparse <= EVERYTHING && hidden[i * all + j] != 0);
            double score = (double)row[j] * at->scale + (shifts ? shifts[i * all + j] : 0);
            row[j] = is_hidden ? -INFINITY : (float)score;
            most = (double)row[j] > most ? (double)row[j] : most;
        }
        for (int64_t j = 0; j < all; j++) {
            row[j] = isinf(most) ? 0 : (float)exp((double)row[j] - most);
            sum += (double)row[j];
        }
        for (int64_t j = 0; j < all; j++) {
            row[j] = sum > 0 ? (float)((double)row[j] / sum) : 0;
        }
        sums[i] = sum > 0 ? most + log(sum) : INFINITY;
    }
}

static aclError attend(const struct plan *plan)
{
    struct fused at;
    struct spread q, k, v, out, shift, mask;
    const struct aclTensor *shifts = tensorAt(plan, SHIFT), *masks = tensorAt(plan, MASK), *kept = tensorAt(plan, outAt(plan) + 1);
    bool is_mapped = fusedOf(plan, &at) && spreadOf(&q, &at.q) && spreadOf(&v, &at.v) && spreadOf(&out, &at.out);
    is_mapped = is_mapped && spreadOrdered(&k, &at.k, (const int[]){0, 1, 3, 2});
    int64_t places = at.q.dims[2], width = at.q.dims[3], keys = at.k.dims[2], value_width = at.v.dims[3], area = places * keys;
    const int64_t dims[] = {at.q.dims[0], at.heads, places, keys};
    bool is_masked = masks != NULL && at.sparse <= EVERYTHING;
    is_mapped = is_mapped && (!shifts || spreadOver(&shift, shifts, 4, dims)) && (!is_masked || spreadOver(&mask, masks, 4, dims));
    float *queries = malloc(((size_t)(places * width) + 1) * sizeof(float)), *rows = malloc(((size_t)(keys * width) + 1) * sizeof(float));
    float *values = malloc(((size_t)(keys * value_width) + 1) * sizeof(float)), *scores = malloc(((size_t)area + 1) * sizeof(float));
    float *results = malloc(((size_t)(places * value_width) + 1) * sizeof(float));
    double *added = malloc(((size_t)area + 1) * sizeof(double)), *hidden = malloc(((size_t)area + 1) * sizeof(double));
    double *sums = malloc(((size_t)(dims[0] * at.heads * places) + 1) * sizeof(double));
    bool has_room = queries && rows && values && scores && results && added && hidden && sums;
    for (int64_t unit = 0; is_mapped && has_room && unit < dims[0] * at.heads && places > 0; unit++) {
        int64_t batch = unit / at.heads, key_head = batch * at.key_heads + unit % at.heads / (at.heads / at.key_heads);
        takeFloats(&q, unit * places * width, places * width, queries);
        if (keys > 0) {
            takeFloats(&k, key_head * keys * width, keys * width, rows);
            takeFloats(&v, key_head * keys * value_width, keys * value_width, values);
        }
        if (shifts && area > 0) {
            takeReals(&shift, unit * area, area, added);
        }
        if (is_masked && area > 0) {
            takeReals(&mask, unit * area, area, hidden);
        }
        multiply(places, keys, width, queries, rows, scores);
        weigh(&at, scores, shifts ? added : NULL, is_masked ? hidden : NULL, keysOf(plan, &at, batch), sums + unit * places);
        multiply(places, value_width, keys, scores, values, results);
        putFloats(&out, unit * places * value_width, places * value_width, results);
    }
    aclError code = !is_mapped ? UNMAPPED : has_room ? ACL_SUCCESS : NO_ROOM;
    bool wants_sums = kept != NULL && integerAt(plan, numbersAt(plan) + WITH_SUMS) != 0;
    code = code == ACL_SUCCESS && wants_sums ? storeReals(kept, sums) : code;
    void *all[] = {queries, rows, values, scores, results, added, hidden, sums};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    return code;
}

/* Quantized operands, paged caches, prefixes, rotated parts, packed batches and bands. */
static bool isBeyond(const struct plan *plan)
{
    int first = numbersAt(plan);
    bool is_beyond = countAt(plan, KEY) != 1 || countAt(plan, VALUE) != 1 || !plan->arguments[QUERY_LENGTHS].is_absent;
    for (int at = FIRST_OTHER; at < first; at++) {
        is_beyond = is_beyond || !plan->arguments[at].is_absent;
    }
    int64_t layout = integerAt(plan, first + LAYOUT), sparse = integerAt(plan, first + SPARSE);
    bool is_known = layout == LAYOUT_BNSD || layout == LAYOUT_BSND || layout == LAYOUT_BSH;
    return is_beyond || !is_known || sparse > FROM_RIGHT;
}

static bool lengthsFit(const struct plan *plan, const struct fused *at)
{
    int count = countAt(plan, KEY_LENGTHS);
    if (count > 1 && count != at->q.dims[0]) {
        return refuse("argument 7 has %d lengths for %lld batches", count, (long long)at->q.dims[0]);
    }
    for (int i = 0; i < count; i++) {
        int64_t length = integersAt(plan, KEY_LENGTHS)[i];
        if (length < 0 || length > at->k.dims[2]) {
            return refuse("argument 7 has the length %lld, argument 2 has %lld keys", (long long)length, (long long)at->k.dims[2]);
        }
    }
    return true;
}

static bool fits(const struct plan *plan)
{
    const struct aclTensor *q = tensorAt(plan, QUERY), *shift = tensorAt(plan, SHIFT), *mask = tensorAt(plan, MASK);
    struct fused at;
    if (!fusedOf(plan, &at)) {
        return refuse("query, keys, values and result have not the layout BNSD, BSND or BSH with %lld heads, %lld of the keys", (long long)at.heads,
                      (long long)at.key_heads);
    }
    if (at.sparse < GIVEN) {
        return refuse("there is no sparse mode %lld", (long long)at.sparse);
    }
    bool fit = at.key_heads > 0 && at.heads % at.key_heads == 0 && at.k.dims[0] == at.q.dims[0] && at.v.dims[0] == at.q.dims[0];
    fit = fit && at.k.dims[3] == at.q.dims[3] && at.v.dims[2] == at.k.dims[2] && at.out.dims[0] == at.q.dims[0];
    if (!fit || at.out.dims[2] != at.q.dims[2] || at.out.dims[3] != at.v.dims[3]) {
        return refuse("a query of shape %s does not fit keys of shape %s, their values or the result", shapeText(q), shapeText(tensorAt(plan, KEY)));
    }
    struct aclTensor weights = at.q;
    weights.dims[3] = at.k.dims[2];
    if ((shift != NULL && !operandSpreads(shift, &weights)) || (mask != NULL && at.sparse <= EVERYTHING && !operandSpreads(mask, &weights))) {
        return refuse("the shift or the mask does not broadcast to weights of shape %s", shapeText(&weights));
    }
    const struct aclTensor *sums = tensorAt(plan, outAt(plan) + 1);
    if (sums != NULL && integerAt(plan, numbersAt(plan) + WITH_SUMS) != 0 && operandCount(sums) != at.q.dims[0] * at.heads * at.q.dims[2]) {
        return refuse("the sums of shape %s are not one for each row of weights", shapeText(sums));
    }
    return lengthsFit(plan, &at);
}

#define ROW(operator, letters) OPERATOR(operator, letters, attend, CHECKS(FITS(fits, "the shapes do not fit together")), .is_beyond = isBeyond)
/* query, keys, values, shift, mask, lengths, then scales and a table of blocks, paddings */
#define BEGINNING "TLLttiittttttttt"
#define KEY_SCALES "tttttti"
#define NUMBERS "ndnnqnnnnnb"

const struct operator_row fusedAttentionRows[] = {
    ROW("FusedInferAttentionScore", BEGINNING "t" NUMBERS "Tt"),
    ROW("FusedInferAttentionScoreV2", BEGINNING "t" KEY_SCALES NUMBERS "nnTt"),
    ROW("FusedInferAttentionScoreV3", BEGINNING "t" KEY_SCALES "ttt" NUMBERS "nnTt"),
    ROW("FusedInferAttentionScoreV4", BEGINNING "t" KEY_SCALES "ttttt" NUMBERS "nnnTt"),
    {0},
};
