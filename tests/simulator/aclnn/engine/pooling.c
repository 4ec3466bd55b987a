/* Pooling of planes: the largest, the average, and the average of a grid; and their gradients. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"
#include "slides.h"

struct pool {
    int64_t planes, height, width, out_height, out_width;
    int64_t kernel[2], stride[2], padding[2], dilation[2];
    bool is_adaptive, counts_padding, is_average;
    int64_t divisor;
};

static void pair(const struct plan *plan, int argument, int64_t values[2])
{
    int count = countAt(plan, argument);
    for (int i = 0; i < 2; i++) {
        values[i] = count == 0 ? 1 : integersAt(plan, argument)[count == 1 ? 0 : i];
    }
}

static struct pool poolOf(const struct aclTensor *in, const struct aclTensor *out)
{
    struct pool pool = {.planes = 1, .dilation = {1, 1}};
    pool.height = in->dims[in->rank - 2];
    pool.width = in->dims[in->rank - 1];
    pool.out_height = out->dims[out->rank - 2];
    pool.out_width = out->dims[out->rank - 1];
    for (int axis = 0; axis < in->rank - 2; axis++) {
        pool.planes *= in->dims[axis];
    }
    return pool;
}

/* Rows and columns from which one result comes. Steps are the dilation's. */
struct field {
    int64_t top, bottom, left, right, count;
};

static struct field fieldOf(const struct pool *pool, int64_t y, int64_t x)
{
    struct field field;
    if (pool->is_adaptive) {
        field.top = y * pool->height / pool->out_height;
        field.bottom = ((y + 1) * pool->height + pool->out_height - 1) / pool->out_height;
        field.left = x * pool->width / pool->out_width;
        field.right = ((x + 1) * pool->width + pool->out_width - 1) / pool->out_width;
        field.count = (field.bottom - field.top) * (field.right - field.left);
        return field;
    }
    field.top = y * pool->stride[0] - pool->padding[0];
    field.left = x * pool->stride[1] - pool->padding[1];
    field.bottom = field.top + (pool->kernel[0] - 1) * pool->dilation[0] + 1;
    field.right = field.left + (pool->kernel[1] - 1) * pool->dilation[1] + 1;
    if (pool->is_average) {
        int64_t bottom = field.bottom < pool->height + pool->padding[0] ? field.bottom : pool->height + pool->padding[0];
        int64_t right = field.right < pool->width + pool->padding[1] ? field.right : pool->width + pool->padding[1];
        field.count = (bottom - field.top) * (right - field.left);
    }
    while (field.top < 0) {
        field.top += pool->dilation[0];
    }
    while (field.left < 0) {
        field.left += pool->dilation[1];
    }
    field.bottom = field.bottom < pool->height ? field.bottom : pool->height;
    field.right = field.right < pool->width ? field.right : pool->width;
    if (pool->is_average && !pool->counts_padding) {
        field.count = (field.bottom - field.top) * (field.right - field.left);
    }
    field.count = pool->divisor != 0 ? pool->divisor : field.count;
    return field;
}

/* The place of the largest element, or the sum in `value`. */
static int64_t look(const struct pool *pool, const double *plane, const struct field *field, double *value)
{
    /* Steps may leave a window without any place in the plane. */
    int64_t place = field->top < pool->height && field->left < pool->width ? field->top * pool->width + field->left : 0;
    *value = pool->is_average ? 0 : -INFINITY;
    for (int64_t row = field->top; row < field->bottom; row += pool->dilation[0]) {
        for (int64_t column = field->left; column < field->right; column += pool->dilation[1]) {
            double element = plane[row * pool->width + column];
            if (pool->is_average) {
                *value += element;
            } else if (element > *value || element != element) {
                *value = element;
                place = row * pool->width + column;
            }
        }
    }
    return place;
}

static aclError forward(const struct pool *pool, const struct aclTensor *in, const struct aclTensor *out, const struct aclTensor *places)
{
    int64_t size = pool->out_height * pool->out_width;
    double *values = realsOf(in), *results = malloc(((size_t)(pool->planes * size) + 1) * sizeof *results);
    int64_t *where = malloc(((size_t)(pool->planes * size) + 1) * sizeof *where);
    bool is_ready = values && results && where;
    for (int64_t i = 0; is_ready && i < pool->planes * size; i++) {
        struct field field = fieldOf(pool, i % size / pool->out_width, i % pool->out_width);
        where[i] = look(pool, values + i / size * pool->height * pool->width, &field, &results[i]);
        results[i] = pool->is_average ? results[i] / (double)field.count : results[i];
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    code = code == ACL_SUCCESS && places ? storeIntegers(places, where) : code;
    free(values);
    free(results);
    free(where);
    return code;
}

static aclError backward(const struct pool *pool, const struct aclTensor *up, const struct aclTensor *in, const struct aclTensor *out)
{
    int64_t size = pool->out_height * pool->out_width, area = pool->height * pool->width;
    double *steps = realsOf(up), *values = realsOf(in), *results = calloc((size_t)(pool->planes * area) + 1, sizeof *results);
    bool is_ready = steps && values && results;
    for (int64_t i = 0; is_ready && i < pool->planes * size; i++) {
        struct field field = fieldOf(pool, i % size / pool->out_width, i % pool->out_width);
        double *plane = results + i / size * area, value;
        if (!pool->is_average) {
            plane[look(pool, values + i / size * area, &field, &value)] += steps[i];
            continue;
        }
        for (int64_t row = field.top; row < field.bottom; row++) {
            for (int64_t column = field.left; column < field.right; column++) {
                plane[row * pool->width + column] += steps[i] / (double)field.count;
            }
        }
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    free(steps);
    free(values);
    free(results);
    return code;
}

static void window(const struct plan *plan, struct pool *pool, int at)
{
    pair(plan, at, pool->kernel);
    pair(plan, countAt(plan, at + 1) > 0 ? at + 1 : at, pool->stride);
    pair(plan, at + 2, pool->padding);
}

/* x, kernel, stride, padding, dilation, ceiling, result, places (code 1) or a mask that only the gradient reads */
static aclError largest(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 6);
    struct pool pool = poolOf(in, out);
    window(plan, &pool, 1);
    pair(plan, 4, pool.dilation);
    return forward(&pool, in, out, plan->row->code != 0 ? tensorAt(plan, 7) : NULL);
}

/* x, kernel, stride, how padding is found, padding, dilation, ceiling, result */
static aclError largestOnly(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 7);
    struct pool pool = poolOf(in, out);
    pair(plan, 1, pool.kernel);
    pair(plan, countAt(plan, 2) > 0 ? 2 : 1, pool.stride);
    pair(plan, 5, pool.dilation);
    pool.padding[0] = pool.padding[1] = countAt(plan, 4) > 0 ? integersAt(plan, 4)[0] : 0;
    return forward(&pool, in, out, NULL);
}

/* gradient, x, places, kernel, stride, padding, dilation, ceiling, result */
static aclError largestGradient(const struct plan *plan)
{
    const struct aclTensor *up = tensorAt(plan, 0), *in = tensorAt(plan, 1);
    struct pool pool = poolOf(in, up);
    window(plan, &pool, 3);
    pair(plan, 6, pool.dilation);
    return backward(&pool, up, in, tensorAt(plan, 8));
}

/* [gradient,] x, kernel, stride, padding, ceiling, whether padding counts, divisor, unused, result */
static aclError average(const struct plan *plan)
{
    int first = plan->row->code;
    const struct aclTensor *in = tensorAt(plan, first), *out = tensorAt(plan, first + 8);
    struct pool pool = poolOf(in, first == 1 ? tensorAt(plan, 0) : out);
    window(plan, &pool, first + 1);
    pool.is_average = true;
    pool.counts_padding = integerAt(plan, first + 5) != 0;
    pool.divisor = integerAt(plan, first + 6);
    return first == 1 ? backward(&pool, tensorAt(plan, 0), in, out) : forward(&pool, in, out, NULL);
}

/* x, size, result */
static aclError grid(const struct plan *plan)
{
    struct pool pool = poolOf(&plan->operands[0], &plan->operands[1]);
    pool.is_adaptive = pool.is_average = true;
    return forward(&pool, &plan->operands[0], &plan->operands[1], NULL);
}

/* gradient, x, result */
static aclError gridGradient(const struct plan *plan)
{
    struct pool pool = poolOf(&plan->operands[1], &plan->operands[0]);
    pool.is_adaptive = pool.is_average = true;
    return backward(&pool, &plan->operands[0], &plan->operands[1], &plan->operands[2]);
}

static bool largestFits(const struct plan *plan)
{
    return windowsFit(plan, 0, 6, 2, 1, true);
}

/* Padding is the same on all sides: which of four numbers is for which side is not known. */
static bool largestOnlyFits(const struct plan *plan)
{
    for (int i = 1; i < countAt(plan, 4); i++) {
        if (integersAt(plan, 4)[i] != integersAt(plan, 4)[0]) {
            return refuse("argument 5 has different numbers, which is not computed");
        }
    }
    struct plan same = *plan;
    /* In the order of the other operators, and with one number for the padding. */
    const int order[] = {0, 1, 2, 4, 5, 6, 7};
    for (int i = 0; i < 7; i++) {
        same.arguments[i] = plan->arguments[order[i]];
    }
    same.arguments[3].count = countAt(plan, 4) > 0 ? 1 : 0;
    return windowsFit(&same, 0, 6, 2, 1, true);
}

static bool largestGradientFits(const struct plan *plan)
{
    return windowsFit(plan, 1, 0, 2, 3, true);
}

static bool averageFits(const struct plan *plan)
{
    int first = plan->row->code;
    return windowsFit(plan, first, first == 1 ? 0 : 8, 2, first + 1, false);
}

static bool gridFits(const struct plan *plan)
{
    return planesFit(tensorAt(plan, 0), 0, tensorAt(plan, 2), 2, 2);
}

static bool gridGradientFits(const struct plan *plan)
{
    return planesFit(tensorAt(plan, 1), 1, tensorAt(plan, 0), 0, 2);
}
#define WINDOWS "the windows do not fit"

#define ROW(operator, letters, function, what, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .code = what)

const struct operator_row poolingRows[] = {
    ROW("MaxPool", "TIInIInT", largestOnly, 0, WITHIN(3, 0, 0), FITS(largestOnlyFits, WINDOWS)),
    ROW("MaxPool2dWithMask", "TIIIIbTT", largest, 0, FITS(largestFits, WINDOWS)),
    ROW("MaxPool2dWithMaskBackward", "TTTIIIIbT", largestGradient, 0, FITS(largestGradientFits, WINDOWS), AS_MANY(8, 1)),
    ROW("MaxPool2dWithIndices", "TIIIIbTT", largest, 1, FITS(largestFits, WINDOWS), AS_MANY(7, 6)),
    ROW("MaxPool2dWithIndicesBackward", "TTTIIIIbT", largestGradient, 0, FITS(largestGradientFits, WINDOWS), AS_MANY(8, 1)),
    ROW("AvgPool2d", "TIIIbbncT", average, 0, FITS(averageFits, WINDOWS)),
    ROW("AvgPool2dBackward", "TTIIIbbncT", average, 1, FITS(averageFits, WINDOWS), AS_MANY(9, 1)),
    ROW("AdaptiveAvgPool2d", "TIT", grid, 0, FITS(gridFits, WINDOWS)),
    ROW("AdaptiveAvgPool2dBackward", "TTT", gridGradient, 0, FITS(gridGradientFits, WINDOWS), AS_MANY(2, 1)),
    {0},
};
