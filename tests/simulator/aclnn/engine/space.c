/* Pooling of volumes, adaptive maxima of pictures and volumes, and what puts maxima back; with their gradients. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"
#include "slides.h"

/* Three axes; a picture is a volume one element deep. */
enum { AXES = 3 };

struct pool {
    int64_t planes, in[AXES], out[AXES], in_size, out_size;
    int64_t kernel[AXES], stride[AXES], padding[AXES], dilation[AXES];
    bool is_adaptive, counts_padding, is_average;
    int64_t divisor;
};

static void sizes(const struct aclTensor *tensor, int axes, int64_t into[AXES], int64_t *planes)
{
    *planes = 1;
    for (int i = 0; i < AXES; i++) {
        into[i] = i < AXES - axes ? 1 : tensor->dims[tensor->rank - AXES + i];
    }
    for (int axis = 0; axis < tensor->rank - axes; axis++) {
        *planes *= tensor->dims[axis];
    }
}

static struct pool poolOf(const struct aclTensor *in, const struct aclTensor *out, int axes)
{
    struct pool pool = {.kernel = {1, 1, 1}, .stride = {1, 1, 1}, .dilation = {1, 1, 1}};
    sizes(out, axes, pool.out, &pool.planes);
    sizes(in, axes, pool.in, &pool.planes);
    pool.in_size = pool.in[0] * pool.in[1] * pool.in[2];
    pool.out_size = pool.out[0] * pool.out[1] * pool.out[2];
    return pool;
}

static void triple(const struct plan *plan, int argument, int64_t values[AXES])
{
    int count = countAt(plan, argument);
    for (int i = 0; count > 0 && i < AXES; i++) {
        values[i] = integersAt(plan, argument)[count == 1 ? 0 : i];
    }
}

static void window(const struct plan *plan, struct pool *pool, int at)
{
    triple(plan, at, pool->kernel);
    triple(plan, countAt(plan, at + 1) > 0 ? at + 1 : at, pool->stride);
    triple(plan, at + 2, pool->padding);
}

/* From where to where a result's elements are, on each axis, and by how many an average divides. */
struct field {
    int64_t from[AXES], to[AXES], count;
};

static struct field fieldOf(const struct pool *pool, int64_t i)
{
    struct field field = {.count = 1};
    for (int axis = AXES - 1; axis >= 0; axis--) {
        int64_t at = i % pool->out[axis], size = pool->in[axis];
        i /= pool->out[axis];
        if (pool->is_adaptive) {
            field.from[axis] = at * size / pool->out[axis];
            field.to[axis] = ((at + 1) * size + pool->out[axis] - 1) / pool->out[axis];
        } else {
            int64_t start = at * pool->stride[axis] - pool->padding[axis], end = start + (pool->kernel[axis] - 1) * pool->dilation[axis] + 1;
            int64_t padded = end < size + pool->padding[axis] ? end : size + pool->padding[axis];
            field.count *= pool->counts_padding ? padded - start : 1;
            while (start < 0) {
                start += pool->dilation[axis];
            }
            field.from[axis] = start;
            field.to[axis] = end < size ? end : size;
        }
        field.count *= pool->counts_padding ? 1 : field.to[axis] - field.from[axis];
    }
    field.count = pool->divisor != 0 ? pool->divisor : field.count;
    return field;
}

#define EACH(field, pool, place, body) \
    for (int64_t z = (field).from[0]; z < (field).to[0]; z += (pool)->dilation[0]) { \
        for (int64_t y = (field).from[1]; y < (field).to[1]; y += (pool)->dilation[1]) { \
            for (int64_t x = (field).from[2]; x < (field).to[2]; x += (pool)->dilation[2]) { \
                int64_t place = (z * (pool)->in[1] + y) * (pool)->in[2] + x; \
                body; \
            } \
        } \
    }

static int64_t look(const struct pool *pool, const double *plane, const struct field *field, double *value)
{
    /* Steps may leave a window without any place in the volume. */
    bool is_inside = field->from[0] < pool->in[0] && field->from[1] < pool->in[1] && field->from[2] < pool->in[2];
    int64_t best = is_inside ? (field->from[0] * pool->in[1] + field->from[1]) * pool->in[2] + field->from[2] : 0;
    *value = pool->is_average ? 0 : -INFINITY;
    EACH(*field, pool, place, {
        if (pool->is_average) {
            *value += plane[place];
        } else if (plane[place] > *value || plane[place] != plane[place]) {
            *value = plane[place];
            best = place;
        }
    })
    return best;
}

static aclError forward(const struct pool *pool, const struct aclTensor *in, const struct aclTensor *out, const struct aclTensor *places)
{
    int64_t count = pool->planes * pool->out_size;
    double *values = realsOf(in), *results = malloc(((size_t)count + 1) * sizeof *results);
    int64_t *where = malloc(((size_t)count + 1) * sizeof *where);
    bool is_ready = values && results && where;
    for (int64_t i = 0; is_ready && i < count; i++) {
        struct field field = fieldOf(pool, i % pool->out_size);
        where[i] = look(pool, values + i / pool->out_size * pool->in_size, &field, &results[i]);
        results[i] /= pool->is_average ? (double)field.count : 1;
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
    int64_t count = pool->planes * pool->out_size;
    double *steps = realsOf(up), *values = realsOf(in), *results = calloc((size_t)operandCount(out) + 1, sizeof *results), value;
    bool is_ready = steps && values && results;
    for (int64_t i = 0; is_ready && i < count; i++) {
        struct field field = fieldOf(pool, i % pool->out_size);
        double *plane = results + i / pool->out_size * pool->in_size;
        if (pool->is_average) {
            EACH(field, pool, place, plane[place] += steps[i] / (double)field.count)
        } else {
            plane[look(pool, values + i / pool->out_size * pool->in_size, &field, &value)] += steps[i];
        }
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    free(steps);
    free(values);
    free(results);
    return code;
}

/* x, kernel, stride, padding, ceiling, whether padding counts, divisor, result */
static aclError average(const struct plan *plan)
{
    struct pool pool = poolOf(tensorAt(plan, 0), tensorAt(plan, 7), 3);
    window(plan, &pool, 1);
    pool.is_average = true;
    pool.counts_padding = integerAt(plan, 5) != 0;
    pool.divisor = integerAt(plan, 6);
    return forward(&pool, tensorAt(plan, 0), tensorAt(plan, 7), NULL);
}

static aclError averageBackward(const struct plan *plan)
{
    struct pool pool = poolOf(tensorAt(plan, 1), tensorAt(plan, 0), 3);
    window(plan, &pool, 2);
    pool.is_average = true;
    pool.counts_padding = integerAt(plan, 6) != 0;
    pool.divisor = integerAt(plan, 7);
    return backward(&pool, tensorAt(plan, 0), tensorAt(plan, 1), tensorAt(plan, 8));
}

/* x, sizes, result: the average of a grid */
static aclError adaptiveAverage(const struct plan *plan)
{
    struct pool pool = poolOf(tensorAt(plan, 0), tensorAt(plan, 2), 3);
    pool.is_average = pool.is_adaptive = true;
    return forward(&pool, tensorAt(plan, 0), tensorAt(plan, 2), NULL);
}

static aclError adaptiveAverageBackward(const struct plan *plan)
{
    struct pool pool = poolOf(tensorAt(plan, 1), tensorAt(plan, 0), 3);
    pool.is_average = pool.is_adaptive = true;
    return backward(&pool, tensorAt(plan, 0), tensorAt(plan, 1), tensorAt(plan, 2));
}

/* x, sizes, result, places */
static aclError adaptiveMost(const struct plan *plan)
{
    struct pool pool = poolOf(tensorAt(plan, 0), tensorAt(plan, 2), plan->row->code);
    pool.is_adaptive = true;
    return forward(&pool, tensorAt(plan, 0), tensorAt(plan, 2), tensorAt(plan, 3));
}

/* gradient, x, places, result */
static aclError adaptiveMostBackward(const struct plan *plan)
{
    struct pool pool = poolOf(tensorAt(plan, 1), tensorAt(plan, 0), plan->row->code);
    pool.is_adaptive = true;
    return backward(&pool, tensorAt(plan, 0), tensorAt(plan, 1), tensorAt(plan, 3));
}

/* x, kernel, stride, padding, dilation, ceiling, result, places */
static aclError most(const struct plan *plan)
{
    struct pool pool = poolOf(tensorAt(plan, 0), tensorAt(plan, 6), 3);
    window(plan, &pool, 1);
    triple(plan, 4, pool.dilation);
    return forward(&pool, tensorAt(plan, 0), tensorAt(plan, 6), tensorAt(plan, 7));
}

/* gradient, x, places, kernel, stride, padding, dilation, ceiling, result */
static aclError mostBackward(const struct plan *plan)
{
    struct pool pool = poolOf(tensorAt(plan, 1), tensorAt(plan, 0), 3);
    window(plan, &pool, 3);
    triple(plan, 6, pool.dilation);
    return backward(&pool, tensorAt(plan, 0), tensorAt(plan, 1), tensorAt(plan, 8));
}

/* x, places, sizes, [stride, padding,] result: each element at its place in a plane of zeros */
static aclError unpool(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = &plan->operands[plan->count - 1];
    struct pool pool = poolOf(out, in, plan->row->code);
    int64_t *places = integersOf(tensorAt(plan, 1));
    double *values = realsOf(in), *results = calloc((size_t)operandCount(out) + 1, sizeof *results);
    bool is_ready = places && values && results;
    for (int64_t i = 0; is_ready && i < operandCount(in); i++) {
        is_ready = places[i] >= 0 && places[i] < pool.in_size;
        results[is_ready ? i / pool.out_size * pool.in_size + places[i] : 0] = values[i];
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    free(places);
    free(values);
    free(results);
    return code;
}

static bool averageFits(const struct plan *plan)
{
    return windowsFit(plan, 0, 7, 3, 1, false);
}

static bool averageBackwardFits(const struct plan *plan)
{
    return windowsFit(plan, 1, 0, 3, 2, false);
}

static bool mostFits(const struct plan *plan)
{
    return windowsFit(plan, 0, 6, 3, 1, true);
}

static bool mostBackwardFits(const struct plan *plan)
{
    return windowsFit(plan, 1, 0, 3, 3, true);
}

static bool adaptiveFits(const struct plan *plan)
{
    return planesFit(tensorAt(plan, 0), 0, tensorAt(plan, 2), 2, plan->row->code);
}

static bool adaptiveBackwardFits(const struct plan *plan)
{
    return planesFit(tensorAt(plan, 1), 1, tensorAt(plan, 0), 0, plan->row->code);
}

static bool unpoolFits(const struct plan *plan)
{
    int last = plan->arguments_count - 1;
    return planesFit(tensorAt(plan, last), last, tensorAt(plan, 0), 0, plan->row->code);
}
#define WINDOWS "the windows do not fit"

#define ROW(operator, letters, function, axes, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .code = axes)

const struct operator_row spaceRows[] = {
    ROW("AvgPool3d", "TIIIbbnT", average, 3, FITS(averageFits, WINDOWS)),
    ROW("AvgPool3dBackward", "TTIIIbbnT", averageBackward, 3, FITS(averageBackwardFits, WINDOWS), AS_MANY(8, 1)),
    ROW("AdaptiveAvgPool3d", "TIT", adaptiveAverage, 3, FITS(adaptiveFits, WINDOWS)),
    ROW("AdaptiveAvgPool3dBackward", "TTT", adaptiveAverageBackward, 3, FITS(adaptiveBackwardFits, WINDOWS), AS_MANY(2, 1)),
    ROW("AdaptiveMaxPool2d", "TITT", adaptiveMost, 2, FITS(adaptiveFits, WINDOWS), AS_MANY(3, 2)),
    ROW("AdaptiveMaxPool3d", "TITT", adaptiveMost, 3, FITS(adaptiveFits, WINDOWS), AS_MANY(3, 2)),
    ROW("AdaptiveMaxPool2dBackward", "TTTT", adaptiveMostBackward, 2, FITS(adaptiveBackwardFits, WINDOWS), AS_MANY(3, 1)),
    ROW("AdaptiveMaxPool3dBackward", "TTTT", adaptiveMostBackward, 3, FITS(adaptiveBackwardFits, WINDOWS), AS_MANY(3, 1)),
    ROW("MaxPool3dWithArgmax", "TIIIIbTT", most, 3, FITS(mostFits, WINDOWS), AS_MANY(7, 6)),
    ROW("MaxPool3dWithArgmaxBackward", "TTTIIIIbT", mostBackward, 3, FITS(mostBackwardFits, WINDOWS), AS_MANY(8, 1)),
    ROW("MaxUnpool2d", "TTIT", unpool, 2, INDEX(1), AS_MANY(1, 0), FITS(unpoolFits, WINDOWS)),
    ROW("MaxUnpool3d", "TTIIIT", unpool, 3, INDEX(1), AS_MANY(1, 0), FITS(unpoolFits, WINDOWS)),
    {0},
};
