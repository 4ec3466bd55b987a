/* Convolutions of one to three dimensions, transposed ones too, as products of matrices, and their gradients. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "operator.h"

enum { SPACE = 3 };

/* A convolution from `wide` (the larger side: its input, or the result of a transposed one) to `narrow`. */
struct window {
    int64_t batch, groups;
    int64_t wide_channels, narrow_channels; /* of one group */
    int64_t wide[SPACE], narrow[SPACE], kernel[SPACE], stride[SPACE], padding[SPACE], dilation[SPACE];
    int64_t wide_size, narrow_size, kernel_size;
};

static void space(const struct aclTensor *tensor, int64_t sizes[SPACE], int64_t *all)
{
    *all = 1;
    for (int i = 0; i < SPACE; i++) {
        int axis = tensor->rank - SPACE + i;
        sizes[i] = axis < 2 ? 1 : tensor->dims[axis];
        *all *= sizes[i];
    }
}

static void numbers(const struct plan *plan, int argument, int64_t otherwise, int64_t values[SPACE])
{
    int count = countAt(plan, argument), used = plan->operands[0].rank - 2;
    for (int i = 0; i < SPACE; i++) {
        int at = i - SPACE + used;
        values[i] = at < 0 ? otherwise : integersAt(plan, argument)[at < count ? at : count - 1];
    }
}

static struct window windowOf(const struct plan *plan, const struct aclTensor *wide, const struct aclTensor *narrow,
                              const struct aclTensor *weight, int stride_at, int groups_at)
{
    struct window window = {.batch = wide->dims[0], .groups = integerAt(plan, groups_at)};
    window.wide_channels = wide->dims[1] / window.groups;
    window.narrow_channels = narrow->dims[1] / window.groups;
    space(wide, window.wide, &window.wide_size);
    space(narrow, window.narrow, &window.narrow_size);
    space(weight, window.kernel, &window.kernel_size);
    numbers(plan, stride_at, 1, window.stride);
    numbers(plan, stride_at + 1, 0, window.padding);
    numbers(plan, stride_at + 2, 1, window.dilation);
    return window;
}

/* Between a group's wide side and its columns: a row for each channel and place in the kernel, a column for each narrow place. */
static void columns(const struct window *window, float *wide, float *column, bool is_back)
{
    for (int64_t row = 0; row < window->wide_channels * window->kernel_size; row++) {
        int64_t channel = row / window->kernel_size, place = row % window->kernel_size;
        int64_t x = place % window->kernel[2], y = place / window->kernel[2] % window->kernel[1];
        int64_t z = place / window->kernel[2] / window->kernel[1];
        float *out = column + row * window->narrow_size;
        for (int64_t at = 0; at < window->narrow_size; at++) {
            int64_t i = at % window->narrow[2], j = at / window->narrow[2] % window->narrow[1];
            int64_t k = at / window->narrow[2] / window->narrow[1];
            int64_t from_x = i * window->stride[2] - window->padding[2] + x * window->dilation[2];
            int64_t from_y = j * window->stride[1] - window->padding[1] + y * window->dilation[1];
            int64_t from_z = k * window->stride[0] - window->padding[0] + z * window->dilation[0];
            bool is_inside = from_x >= 0 && from_x < window->wide[2] && from_y >= 0 && from_y < window->wide[1] &&
                             from_z >= 0 && from_z < window->wide[0];
            int64_t from = ((channel * window->wide[0] + from_z) * window->wide[1] + from_y) * window->wide[2] + from_x;
            if (is_back && is_inside) {
                wide[from] += out[at];
            } else if (!is_back) {
                out[at] = is_inside ? wide[from] : 0;
            }
        }
    }
}

static void transpose(const float *from, int64_t rows, int64_t width, float *to)
{
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t i = 0; i < width; i++) {
            to[i * rows + row] = from[row * width + i];
        }
    }
}

enum direction { TO_NARROW, TO_WIDE, TO_WEIGHT };

/* One of the three from the other two. The weight of a group is narrow channels × (wide channels × kernel). */
static bool convolve(const struct window *window, enum direction direction, float *wide, float *narrow, float *weight)
{
    int64_t depth = window->wide_channels * window->kernel_size, size = window->narrow_size;
    int64_t wide_step = window->wide_channels * window->wide_size, narrow_step = window->narrow_channels * size;
    int64_t weight_step = window->narrow_channels * depth;
    int64_t most = weight_step > depth * size ? weight_step : depth * size;
    float *column = malloc(((size_t)(depth * size) + 1) * sizeof *column), *turned = malloc(((size_t)most + 1) * sizeof *turned);
    float *result = malloc(((size_t)weight_step + 1) * sizeof *result);
    bool is_ready = column && turned && result;
    for (int64_t at = 0; is_ready && at < window->batch * window->groups; at++) {
        int64_t group = at % window->groups;
        float *own = weight + group * weight_step, *wide_at = wide + at * wide_step, *narrow_at = narrow + at * narrow_step;
        if (direction == TO_NARROW) {
            columns(window, wide_at, column, false);
            multiply(window->narrow_channels, size, depth, own, column, narrow_at);
        } else if (direction == TO_WIDE) {
            transpose(own, window->narrow_channels, depth, turned);
            multiply(depth, size, window->narrow_channels, turned, narrow_at, column);
            columns(window, wide_at, column, true);
        } else {
            columns(window, wide_at, column, false);
            transpose(column, depth, size, turned);
            multiply(window->narrow_channels, depth, size, narrow_at, turned, result);
            for (int64_t i = 0; i < weight_step; i++) {
                own[i] += result[i];
            }
        }
    }
    free(column);
    free(turned);
    free(result);
    return is_ready;
}

/* A transposed convolution's weight has the same layout: its input is the narrow side. */
static float *zeros(const struct aclTensor *tensor)
{
    return calloc((size_t)operandCount(tensor) + 1, sizeof(float));
}

/* x, weight, bias, stride, padding, dilation, transposed, padding of the result, groups, result, unused */
static aclError convolution(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *weight = tensorAt(plan, 1), *bias = tensorAt(plan, 2), *out = tensorAt(plan, 9);
    bool is_transposed = integerAt(plan, 6) != 0;
    struct window window = windowOf(plan, is_transposed ? out : in, is_transposed ? in : out, weight, 3, 8);
    float *x = floatsOf(in), *w = floatsOf(weight), *y = zeros(out), *b = bias ? floatsOf(bias) : NULL;
    bool is_ready = x && w && y && (!bias || b);
    is_ready = is_ready && convolve(&window, is_transposed ? TO_WIDE : TO_NARROW, is_transposed ? y : x, is_transposed ? x : y, w);
    int64_t inner = is_transposed ? window.wide_size : window.narrow_size;
    for (int64_t i = 0; is_ready && b && i < operandCount(out); i++) {
        y[i] += b[i / inner % out->dims[1]];
    }
    aclError code = is_ready ? storeFloats(out, y) : UNMAPPED;
    free(x);
    free(w);
    free(y);
    free(b);
    return code;
}

/* gradient, x, weight, sizes of the bias, stride, padding, dilation, transposed, padding of the result, groups, which, unused, results */
static aclError gradients(const struct plan *plan)
{
    const struct aclTensor *up = tensorAt(plan, 0), *in = tensorAt(plan, 1), *weight = tensorAt(plan, 2);
    const struct aclTensor *to_in = tensorAt(plan, 12), *to_weight = tensorAt(plan, 13), *to_bias = tensorAt(plan, 14);
    const int64_t *which = integersAt(plan, 10);
    bool is_transposed = integerAt(plan, 7) != 0;
    struct window window = windowOf(plan, is_transposed ? up : in, is_transposed ? in : up, weight, 4, 9);
    float *dy = floatsOf(up), *x = floatsOf(in), *w = floatsOf(weight), *dx = zeros(in), *dw = zeros(weight);
    double *db = calloc((size_t)up->dims[1] + 1, sizeof *db);
    bool is_ready = dy && x && w && dx && dw && db;
    if (is_ready && which[0] && to_in) {
        is_ready = convolve(&window, is_transposed ? TO_NARROW : TO_WIDE, is_transposed ? dy : dx, is_transposed ? dx : dy, w);
    }
    if (is_ready && which[1] && to_weight) {
        is_ready = convolve(&window, TO_WEIGHT, is_transposed ? dy : x, is_transposed ? x : dy, dw);
    }
    aclError code = is_ready ? ACL_SUCCESS : UNMAPPED;
    int64_t inner = is_transposed ? window.wide_size : window.narrow_size;
    for (int64_t i = 0; is_ready && i < operandCount(up); i++) {
        db[i / inner % up->dims[1]] += dy[i];
    }
    code = code == ACL_SUCCESS && which[0] && to_in ? storeFloats(to_in, dx) : code;
    code = code == ACL_SUCCESS && which[1] && to_weight ? storeFloats(to_weight, dw) : code;
    code = code == ACL_SUCCESS && which[2] && to_bias ? storeReals(to_bias, db) : code;
    free(dy);
    free(x);
    free(w);
    free(dx);
    free(dw);
    free(db);
    return code;
}

/* Batches only, as many channels as the weight says, and a kernel that passes over the wide side in as many steps as the narrow one has. */
static bool shapesFit(const struct plan *plan, const struct aclTensor *in, const struct aclTensor *weight, const struct aclTensor *out, int stride_at)
{
    bool is_transposed = integerAt(plan, stride_at + 3) != 0;
    int64_t groups = integerAt(plan, stride_at + 5);
    const struct aclTensor *wide = is_transposed ? out : in, *narrow = is_transposed ? in : out;
    bool fits = in->rank >= 3 && in->rank <= 2 + SPACE && out->rank == in->rank && weight->rank == in->rank && groups > 0;
    if (!fits || in->dims[0] != out->dims[0] || wide->dims[1] % groups != 0 || narrow->dims[1] % groups != 0 || narrow->dims[1] != weight->dims[0] ||
        wide->dims[1] / groups != weight->dims[1]) {
        return refuse("a weight of shape %s and %" PRId64 " groups do not fit a tensor of shape %s", shapeText(weight), groups, shapeText(in));
    }
    for (int at = stride_at; at < stride_at + 3; at++) {
        for (int i = 0; i < countAt(plan, at); i++) {
            int64_t number = integersAt(plan, at)[i], least = at != stride_at + 1;
            if (number < least || number > 1 << 20) {
                return refuse("argument %d has the number %" PRId64 ", not from %" PRId64 " to %d", at + 1, number, least, 1 << 20);
            }
        }
        if (countAt(plan, at) == 0) {
            return refuse("argument %d is empty", at + 1);
        }
    }
    struct window window = windowOf(plan, wide, narrow, weight, stride_at, stride_at + 5);
    for (int i = 0; i < SPACE; i++) {
        int64_t reach = window.dilation[i] * (window.kernel[i] - 1) + 1;
        /* The last step may be shorter: a transposed convolution's result is padded by that. */
        int64_t steps = (window.wide[i] + 2 * window.padding[i] - reach) / window.stride[i] + 1;
        if (window.wide[i] + 2 * window.padding[i] < reach ? window.narrow[i] > 0 : window.narrow[i] > steps) {
            return refuse("a kernel of %" PRId64 " makes no %" PRId64 " steps over %" PRId64 " elements", window.kernel[i], window.narrow[i], window.wide[i]);
        }
    }
    return true;
}

static bool fits(const struct plan *plan)
{
    return shapesFit(plan, tensorAt(plan, 0), tensorAt(plan, 1), tensorAt(plan, 9), 3);
}

static bool gradientsFit(const struct plan *plan)
{
    return shapesFit(plan, tensorAt(plan, 1), tensorAt(plan, 2), tensorAt(plan, 0), 4);
}

/* The bias has as many elements as the result has channels. */
static bool biasFits(const struct plan *plan)
{
    const struct aclTensor *bias = tensorAt(plan, plan->row->code == 8 ? 2 : 14), *out = tensorAt(plan, plan->row->code == 8 ? 9 : 0);
    return bias == NULL || operandCount(bias) == out->dims[1];
}

#define SHAPES "the shapes do not fit together"
#define BIAS "the bias has not one element for each channel"

const struct operator_row convolutionRows[] = {
    OPERATOR("Convolution", "TTtIIIbInTc", convolution, CHECKS(FITS(fits, SHAPES), FITS(biasFits, BIAS)), .code = 8),
    OPERATOR("ConvolutionBackward", "TTTiIIIbInBcttt", gradients,
             CHECKS(FITS(gradientsFit, SHAPES), LENGTH(10, 3, 3), AS_MANY_IF_ANY(12, 1), AS_MANY_IF_ANY(13, 2), FITS(biasFits, BIAS)), .code = 9),
    {0},
};
