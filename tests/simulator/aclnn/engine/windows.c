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

/* One number or two of each list, and as many columns as windows make. */
static bool slidesFit(const struct plan *plan, const struct aclTensor *picture, const struct aclTensor *columns, int at)
{
    bool fits = picture->rank >= 2;
    for (int list = at; fits && list < at + 4; list++) {
        int64_t least = list != at + 2;
        fits = countAt(plan, list) == 1 || countAt(plan, list) == 2;
        for (int i = 0; fits && i < countAt(plan, list); i++) {
            fits = integersAt(plan, list)[i] >= least && integersAt(plan, list)[i] <= 1 << 15;
        }
        if (!fits) {
            return refuse("argument %d has not one or two numbers from %lld on", list + 1, (long long)least);
        }
    }
    int64_t wanted = -1;
    if (fits) {
        struct slide slide = slideOf(plan, picture, at);
        for (int i = 0; i < 2; i++) {
            int64_t size = i == 0 ? slide.height : slide.width;
            fits = fits && size + 2 * slide.padding[i] >= slide.dilation[i] * (slide.kernel[i] - 1) + 1;
        }
        fits = fits && !__builtin_mul_overflow(slide.planes * slide.kernel[0] * slide.kernel[1], slide.rows * slide.columns, &wanted);
    }
    return (fits && operandCount(columns) == wanted) || refuse("windows of a picture of shape %s do not make columns of shape %s", shapeText(picture), shapeText(columns));
}

static bool columnsFit(const struct plan *plan)
{
    return slidesFit(plan, tensorAt(plan, 0), tensorAt(plan, 5), 1);
}

static bool picturesFit(const struct plan *plan)
{
    return slidesFit(plan, tensorAt(plan, 6), tensorAt(plan, 0), 2);
}

static bool unfoldFits(const struct plan *plan)
{
    const struct aclTensor *up = tensorAt(plan, 0), *out = tensorAt(plan, 5);
    int64_t axis = integerAt(plan, 2), size = integerAt(plan, 3), step = integerAt(plan, 4);
    /* Windows of a single number are one, or none. */
    if (out->rank == 0 && step > 0) {
        return operandCount(up) == 0 || (operandCount(up) == 1 && size == 1);
    }
    bool fits = out->rank > 0 && up->rank == out->rank + 1 && axis >= -out->rank && axis < out->rank && up->dims[out->rank] == size && size >= 0 && step > 0;
    for (int i = 0; fits && i < out->rank; i++) {
        bool is_axis = i == axisOf(axis, out->rank);
        fits = is_axis ? up->dims[i] == 0 || (size <= out->dims[i] && up->dims[i] - 1 <= (out->dims[i] - size) / step) : up->dims[i] == out->dims[i];
    }
    return fits || refuse("windows of %lld elements every %lld along the axis %lld of %s are not %s", (long long)size, (long long)step, (long long)axis,
                          shapeText(out), shapeText(up));
}

static bool shuffleFits(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    int64_t groups = integerAt(plan, 1);
    return groups > 0 && (in->rank < 2 ? 1 : in->dims[1]) % groups == 0;
}

static bool chunksFit(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 3), *first = listedAt(plan, 0, 0);
    int64_t axis = integerAt(plan, 1), chunks = integerAt(plan, 2), before = 1, row = 0;
    if (first == NULL || chunks <= 0 || chunks > INT32_MAX || axis < -first->rank || axis >= first->rank) {
        return refuse("%d tensors make no %lld chunks along the axis %lld", countAt(plan, 0), (long long)chunks, (long long)axis);
    }
    int at = axisOf(axis, first->rank);
    for (int i = 0; i < countAt(plan, 0); i++) {
        const struct aclTensor *in = listedAt(plan, 0, i);
        int64_t own = 1, after = 1;
        for (int k = 0; k < in->rank; k++) {
            own *= k < at ? in->dims[k] : 1;
            after *= k > at ? in->dims[k] : 1;
        }
        before = i == 0 ? own : before;
        if (in->rank <= at || own != before || in->dims[at] > INT32_MAX) {
            return refuse("tensor %d of shape %s is not cut along the axis %lld", i + 1, shapeText(in), (long long)axis);
        }
        row += (in->dims[at] + chunks - 1) / chunks * after;
    }
    bool fits = out->rank > at;
    int64_t own = 1, wanted;
    for (int k = 0; fits && k < at; k++) {
        own *= out->dims[k];
    }
    fits = fits && own == before && before > 0 && !__builtin_mul_overflow(row, before * chunks, &wanted) && operandCount(out) == wanted;
    return fits || refuse("%lld chunks of %lld elements are not %s", (long long)chunks, (long long)row, shapeText(out));
}
#define SLIDES "the shapes do not fit together"

#define ROW(operator, letters, function, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__))

const struct operator_row windowRows[] = {
    ROW("Im2col", "TIIIIT", columns, FITS(columnsFit, SLIDES)),
    ROW("Im2colBackward", "TIIIIIT", pictures, FITS(picturesFit, SLIDES)),
    ROW("UnfoldGrad", "TInnnT", unfoldGradient, FITS(unfoldFits, SLIDES)),
    ROW("ChannelShuffle", "TnT", shuffle, AS_MANY(2, 0), FITS(shuffleFits, "argument 2 does not divide the channels")),
    ROW("ChunkCat", "LnnT", chunkCat, FITS(chunksFit, SLIDES)),
    {0},
};
