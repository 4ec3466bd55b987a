/* Windows that slide over a tensor: columns of pictures and back, gradients of unfolding, channels that are shuffled. */
#include <stdlib.h>
#include <string.h>

#include "operator.h"

struct slide {
    int64_t planes, height, width, rows, columns; /* windows: rows × columns of them */
    int64_t kernel[2], dilation[2], padding[2], stride[2];
};

static void pair(const struct plan *plan, int argument, int64_t values[2])
{
    for (int i = 0; i < 2; i++) {
        values[i] = integersAt(plan, argument)[countAt(plan, argument) == 1 ? 0 : i];
    }
}

static struct slide slideOf(const struct plan *plan, const struct aclTensor *picture, int at)
{
    struct slide slide = {.planes = 1, .height = picture->dims[picture->rank - 2], .width = picture->dims[picture->rank - 1]};
    for (int axis = 0; axis < picture->rank - 2; axis++) {
        slide.planes *= picture->dims[axis];
    }
    pair(plan, at, slide.kernel);
    pair(plan, at + 1, slide.dilation);
    pair(plan, at + 2, slide.padding);
    pair(plan, at + 3, slide.stride);
    slide.rows = (slide.height + 2 * slide.padding[0] - slide.dilation[0] * (slide.kernel[0] - 1) - 1) / slide.stride[0] + 1;
    slide.columns = (slide.width + 2 * slide.padding[1] - slide.dilation[1] * (slide.kernel[1] - 1) - 1) / slide.stride[1] + 1;
    return slide;
}

/* Where in the pictures element `i` of the columns comes from; -1 for padding. */
static int64_t origin(const struct slide *slide, int64_t i)
{
    int64_t column = i % slide->columns, row = i / slide->columns % slide->rows, rest = i / slide->columns / slide->rows;
    int64_t x = rest % slide->kernel[1], y = rest / slide->kernel[1] % slide->kernel[0], plane = rest / slide->kernel[1] / slide->kernel[0];
    int64_t at_y = row * slide->stride[0] - slide->padding[0] + y * slide->dilation[0];
    int64_t at_x = column * slide->stride[1] - slide->padding[1] + x * slide->dilation[1];
    bool is_inside = at_y >= 0 && at_y < slide->height && at_x >= 0 && at_x < slide->width;
    return is_inside ? (plane * slide->height + at_y) * slide->width + at_x : -1;
}

/* pictures, kernel, dilation, padding, stride, result */
static aclError columns(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 5);
    struct slide slide = slideOf(plan, in, 1);
    int64_t count = operandCount(out);
    double *values = realsOf(in), *results = malloc(((size_t)count + 1) * sizeof *results);
    for (int64_t i = 0; values && results && i < count; i++) {
        int64_t at = origin(&slide, i);
        results[i] = at < 0 ? 0 : values[at];
    }
    aclError code = values && results ? storeReals(out, results) : UNMAPPED;
    free(values);
    free(results);
    return code;
}

/* columns, size of a picture, kernel, dilation, padding, stride, result */
static aclError pictures(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 6);
    struct slide slide = slideOf(plan, out, 2);
    double *values = realsOf(in), *results = calloc((size_t)operandCount(out) + 1, sizeof *results);
    for (int64_t i = 0; values && results && i < operandCount(in); i++) {
        int64_t at = origin(&slide, i);
        if (at >= 0) {
            results[at] += values[i];
        }
    }
    aclError code = values && results ? storeReals(out, results) : UNMAPPED;
    free(values);
    free(results);
    return code;
}

/* gradient of the windows, which are its last axis; sizes, axis, size, step, result */
static aclError unfoldGradient(const struct plan *plan)
{
    const struct aclTensor *up = tensorAt(plan, 0), *out = tensorAt(plan, 5);
    int axis = axisOf(integerAt(plan, 2), out->rank);
    int64_t size = integerAt(plan, 3), step = integerAt(plan, 4);
    double *values = realsOf(up), *results = calloc((size_t)operandCount(out) + 1, sizeof *results);
    for (int64_t i = 0; values && results && i < operandCount(up); i++) {
        int64_t rest = i / size, position = 0, scale = 1;
        for (int at = out->rank - 1; at >= 0; at--) {
            int64_t coordinate = rest % up->dims[at];
            rest /= up->dims[at];
            position += scale * (at == axis ? coordinate * step + i % size : coordinate);
            scale *= out->dims[at];
        }
        results[position] += values[i];
    }
    aclError code = values && results ? storeReals(out, results) : UNMAPPED;
    free(values);
    free(results);
    return code;
}

/* tensor, groups, result: the channels of the groups in turn */
static aclError shuffle(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    int64_t channels = in->rank < 2 ? 1 : in->dims[1], groups = integerAt(plan, 1), inner = 1, count = operandCount(in);
    for (int axis = 2; axis < in->rank; axis++) {
        inner *= in->dims[axis];
    }
    double *values = realsOf(in), *results = malloc(((size_t)count + 1) * sizeof *results);
    for (int64_t i = 0; values && results && i < count; i++) {
        int64_t channel = i / inner % channels, from = channel % groups * (channels / groups) + channel / groups;
        results[i] = values[i + (from - channel) * inner];
    }
    aclError code = values && results ? storeReals(tensorAt(plan, 2), results) : UNMAPPED;
    free(values);
    free(results);
    return code;
}

/* tensors, axis, chunks, result: chunk k of each tensor, padded with zeros, beside those of the others */
static aclError chunkCat(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 3);
    int axis = axisOf(integerAt(plan, 1), listedAt(plan, 0, 0)->rank);
    int64_t chunks = integerAt(plan, 2), before = 1, row = 0, start = 0;
    for (int i = 0; i < axis; i++) {
        before *= out->dims[i];
    }
    row = operandCount(out) / (before * chunks);
    double *results = calloc((size_t)operandCount(out) + 1, sizeof *results);
    bool is_ready = results != NULL;
    for (int i = 0; is_ready && i < countAt(plan, 0); i++) {
        const struct aclTensor *in = listedAt(plan, 0, i);
        int64_t size = in->dims[axis], each = (size + chunks - 1) / chunks, after = size == 0 ? 0 : operandCount(in) / (before * size);
        double *values = realsOf(in);
        is_ready = values != NULL;
        for (int64_t at = 0; is_ready && at < before * size; at++) {
            int64_t chunk = at % size / each, place = at % size % each;
            memcpy(results + (at / size * chunks + chunk) * row + start + place * after, values + at * after, (size_t)after * sizeof *values);
        }
        start += each * after;
        free(values);
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    free(results);
    return code;
}

#define ROW(operator, letters, function) {.name = operator, .arguments = letters, .compute = function}

const struct operator_row windowRows[] = {
    ROW("Im2col", "TIIIIT", columns),
    ROW("Im2colBackward", "TIIIIIT", pictures),
    ROW("UnfoldGrad", "TInnnT", unfoldGradient),
    ROW("ChannelShuffle", "TnT", shuffle),
    ROW("ChunkCat", "LnnT", chunkCat),
    {0},
};
