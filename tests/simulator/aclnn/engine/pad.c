/* Padding with what is in the tensor: its reflection or its border; and the gradients. */
#include <stdlib.h>

#include "operator.h"

/* The element of an axis that is at a place of the padded one. */
static int64_t origin(int64_t at, int64_t before, int64_t size, bool is_reflection)
{
    int64_t place = at - before;
    if (!is_reflection) {
        return place < 0 ? 0 : place >= size ? size - 1 : place;
    }
    place = place < 0 ? -place : place;
    return place >= size ? 2 * (size - 1) - place : place;
}

/* Position in the dense inner tensor of element `i` of the padded one. */
static int64_t positionOf(const struct aclTensor *inner, const struct aclTensor *outer, const int64_t *padding, int padded, int64_t i,
                          bool is_reflection)
{
    int64_t position = 0, step = 1;
    for (int back = 1; back <= outer->rank; back++) {
        int64_t wide = outer->dims[outer->rank - back], size = inner->dims[inner->rank - back], at = i % wide;
        i /= wide;
        position += step * (back <= padded ? origin(at, padding[2 * (back - 1)], size, is_reflection) : at);
        step *= size;
    }
    return position;
}

/* tensor, padding from the last axis on, result */
static aclError pad(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 2);
    int64_t count = operandCount(out);
    double *values = realsOf(in), *results = malloc(((size_t)count + 1) * sizeof *results);
    bool is_ready = values && results;
    for (int64_t i = 0; is_ready && i < count; i++) {
        results[i] = values[positionOf(in, out, integersAt(plan, 1), countAt(plan, 1) / 2, i, plan->row->code == 1)];
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    free(values);
    free(results);
    return code;
}

/* gradient, tensor, padding, result */
static aclError padBackward(const struct plan *plan)
{
    const struct aclTensor *up = tensorAt(plan, 0), *out = tensorAt(plan, 3);
    double *values = realsOf(up), *results = calloc((size_t)operandCount(out) + 1, sizeof *results);
    bool is_ready = values && results;
    for (int64_t i = 0; is_ready && i < operandCount(up); i++) {
        results[positionOf(out, up, integersAt(plan, 2), countAt(plan, 2) / 2, i, plan->row->code == 1)] += values[i];
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    free(values);
    free(results);
    return code;
}

static bool paddingFits(const struct plan *plan)
{
    bool is_backward = plan->row->compute == padBackward, is_reflection = plan->row->code == 1;
    int at = is_backward ? 2 : 1, padded = countAt(plan, at) / 2;
    const struct aclTensor *inner = tensorAt(plan, is_backward ? 3 : 0), *outer = tensorAt(plan, is_backward ? 0 : 2);
    bool fits = countAt(plan, at) % 2 == 0 && padded <= inner->rank && outer->rank == inner->rank;
    for (int back = 1; fits && back <= inner->rank; back++) {
        const int64_t *padding = integersAt(plan, at) + 2 * (back - 1);
        int64_t size = inner->dims[inner->rank - back], wide = outer->dims[outer->rank - back], before = back <= padded ? padding[0] : 0;
        int64_t after = back <= padded ? padding[1] : 0, most = back > padded ? 0 : is_reflection ? size - 1 : INT32_MAX;
        fits = before >= -size && after >= -size && before <= most && after <= most && wide == size + before + after && (size > 0 || wide == 0);
    }
    return fits || refuse("argument %d does not make %s of %s", at + 1, shapeText(outer), shapeText(inner));
}
#define PADDING "the padding does not fit"

#define PAD(operator, is_reflection) \
    OPERATOR(operator, "TIT", pad, CHECKS(FITS(paddingFits, PADDING)), .code = is_reflection), \
    OPERATOR(operator "Backward", "TTIT", padBackward, CHECKS(AS_MANY(3, 1), FITS(paddingFits, PADDING)), .code = is_reflection)

const struct operator_row padRows[] = {
    PAD("ReflectionPad1d", 1),
    PAD("ReflectionPad2d", 1),
    PAD("ReflectionPad3d", 1),
    PAD("ReplicationPad1d", 0),
    PAD("ReplicationPad2d", 0),
    PAD("ReplicationPad3d", 0),
    {0},
};
