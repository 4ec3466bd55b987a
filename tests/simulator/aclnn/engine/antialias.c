/* Pictures resized with a filter as wide as the step between results, and the gradient. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

/* The elements of one axis that a result is made of. Weights add up to one. */
struct taps {
    int64_t first, count;
    double *weights;
};

static double filter(double x, int width)
{
    x = fabs(x);
    if (width == 2) {
        return x < 1 ? 1 - x : 0;
    }
    const double a = -0.5;
    return x < 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

/* `width` is 2 for lines, 4 for cubics. */
static double stepOf(int64_t in, int64_t out, bool is_aligned, double scale)
{
    if (is_aligned) {
        return out > 1 ? (double)(in - 1) / (double)(out - 1) : 0;
    }
    return scale > 0 ? 1 / scale : (double)in / (double)out;
}

static void tapsOf(struct taps *taps, int64_t at, int64_t in, double step, int width)
{
    double shift = 0.5, support = width * 0.5 * (step > 1 ? step : 1), narrowing = step > 1 ? 1 / step : 1;
    double center = step * ((double)at + shift), sum = 0;
    int64_t first = wholeOf(center - support + shift), end = wholeOf(center + support + shift);
    taps->first = first > 0 ? first : 0;
    taps->count = (end < in ? end : in) - taps->first;
    taps->count = taps->count > 0 ? taps->count : 0;
    for (int64_t i = 0; i < taps->count; i++) {
        taps->weights[i] = filter(((double)(i + taps->first) - center + shift) * narrowing, width);
        sum += taps->weights[i];
    }
    for (int64_t i = 0; i < taps->count && sum != 0; i++) {
        taps->weights[i] /= sum;
    }
}

/* Resizes `small` into `large`'s planes, or (backward) spreads the gradients of the results over what they were made of. */
static aclError resize(const struct plan *plan, const struct aclTensor *in, const struct aclTensor *out, bool is_backward, int aligned_at)
{
    const struct aclTensor *source = is_backward ? out : in, *made = is_backward ? in : out;
    int64_t height = source->dims[2], width = source->dims[3], rows = made->dims[2], columns = made->dims[3];
    int64_t planes = source->dims[0] * source->dims[1], count = operandCount(out);
    bool is_aligned = integerAt(plan, aligned_at) != 0;
    double down = stepOf(height, rows, is_aligned, numberAt(plan, aligned_at + 1)), across = stepOf(width, columns, is_aligned, numberAt(plan, aligned_at + 2));
    double *values = realsOf(in), *results = calloc((size_t)count + 1, sizeof *results);
    struct taps y = {.weights = malloc(((size_t)height + 1) * sizeof(double))}, x = {.weights = malloc(((size_t)width + 1) * sizeof(double))};
    bool is_ready = values && results && y.weights && x.weights;
    for (int64_t i = 0; is_ready && i < planes * rows * columns; i++) {
        tapsOf(&y, i / columns % rows, height, down, plan->row->code);
        tapsOf(&x, i % columns, width, across, plan->row->code);
        for (int64_t tap = 0; tap < y.count * x.count; tap++) {
            int64_t at = ((i / columns / rows) * height + y.first + tap / x.count) * width + x.first + tap % x.count;
            double weight = y.weights[tap / x.count] * x.weights[tap % x.count];
            results[is_backward ? at : i] += weight * values[is_backward ? i : at];
        }
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    free(values);
    free(results);
    free(y.weights);
    free(x.weights);
    return code;
}

/* pictures, sizes, whether corners are aligned, two scales, result */
static aclError forward(const struct plan *plan)
{
    return resize(plan, tensorAt(plan, 0), tensorAt(plan, 5), false, 2);
}

/* gradient, sizes of the results, sizes of the pictures, whether corners are aligned, two scales, result */
static aclError backward(const struct plan *plan)
{
    return resize(plan, tensorAt(plan, 0), tensorAt(plan, 6), true, 3);
}

static bool planesAreResized(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[1];
    bool fits = in->rank == 4 && out->rank == 4 && in->dims[0] == out->dims[0] && in->dims[1] == out->dims[1];
    for (int axis = 2; fits && axis < 4; axis++) {
        fits = in->dims[axis] > 0 && out->dims[axis] > 0;
    }
    return fits || refuse("planes of shape %s are not resized to %s", shapeText(in), shapeText(out));
}

#define ROW(operator, letters, function, width) OPERATOR(operator, letters, function, CHECKS(FITS(planesAreResized, "the planes do not fit")), .code = width)

const struct operator_row antialiasRows[] = {
    ROW("UpsampleBilinear2dAA", "TIbddT", forward, 2),
    ROW("UpsampleBicubic2dAA", "TIbddT", forward, 4),
    ROW("UpsampleBilinear2dAABackward", "TIIbddT", backward, 2),
    ROW("UpsampleBicubic2dAAGrad", "TIIbddT", backward, 4),
    {0},
};
