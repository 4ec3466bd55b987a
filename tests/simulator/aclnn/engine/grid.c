/* Pictures and volumes sampled where a grid points: bilinear, nearest, bicubic; and the gradients. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

enum { AXES = 3, BILINEAR = 0, NEAREST = 1, BICUBIC = 2, ZEROS = 0, BORDER = 1, REFLECTION = 2, TAPS = 4 };

struct sampler {
    int axes, mode, padding;
    bool is_aligned;
    int64_t batch, channels, size[AXES], points; /* the last axis first, as the grid names them */
    int64_t area;
};

/* Elements that one coordinate reads, their weights, and the weights' slopes. */
struct taps {
    int count;
    int64_t at[TAPS];
    double weight[TAPS], slope[TAPS];
};

static double reflected(double x, double low, double high, double *slope)
{
    double span = high - low;
    if (span <= 0) {
        *slope = 0;
        return 0;
    }
    double sign = x < low ? -1 : 1, distance = fabs(x - low), rest = fmod(distance, span);
    bool is_back = wholeOf(floor(distance / span)) % 2 != 0;
    *slope *= is_back ? -sign : sign;
    return is_back ? high - rest : low + rest;
}

static double bounded(double x, double size, double *slope)
{
    if (!(x > 0)) {
        *slope = 0;
        return 0;
    }
    if (x >= size - 1) {
        *slope = 0;
        return size - 1;
    }
    return x;
}

/* A coordinate within the padding's rule. */
static double within(const struct sampler *sampler, double x, int64_t size, double *slope)
{
    if (sampler->padding == REFLECTION) {
        double edge = sampler->is_aligned ? 0 : 0.5;
        x = reflected(x, -edge, (double)size - 1 + edge, slope);
    }
    return sampler->padding == ZEROS ? x : bounded(x, (double)size, slope);
}

static void cubic(struct taps *taps, double t, double slope)
{
    const double A = -0.75;
    for (int i = 0; i < TAPS; i++) {
        double d = fabs(t + 1 - i), sign = t + 1 - i < 0 ? -1 : 1;
        bool is_near = d <= 1;
        taps->weight[i] = is_near ? ((A + 2) * d - (A + 3)) * d * d + 1 : ((A * d - 5 * A) * d + 8 * A) * d - 4 * A;
        taps->slope[i] = sign * slope * (is_near ? (3 * (A + 2) * d - 2 * (A + 3)) * d : (3 * A * d - 10 * A) * d + 8 * A);
    }
}

static struct taps tapsOf(const struct sampler *sampler, double x, int64_t size)
{
    double slope = sampler->is_aligned ? ((double)size - 1) / 2 : (double)size / 2;
    struct taps taps = {.count = 1};
    x = sampler->is_aligned ? (x + 1) / 2 * ((double)size - 1) : ((x + 1) * (double)size - 1) / 2;
    if (sampler->mode == BICUBIC) {
        double floor_x = floor(x), unused = 1;
        taps.count = TAPS;
        cubic(&taps, x - floor_x, slope);
        for (int i = 0; i < TAPS; i++) {
            taps.at[i] = wholeOf(within(sampler, floor_x - 1 + i, size, &unused));
        }
        return taps;
    }
    x = within(sampler, x, size, &slope);
    x = x > -1e9 && x < 1e9 ? x : -100;
    if (sampler->mode == NEAREST) {
        taps.at[0] = (int64_t)nearbyint(x);
        taps.weight[0] = 1;
        return taps;
    }
    double floor_x = floor(x);
    taps.count = 2;
    taps.at[0] = (int64_t)floor_x;
    taps.at[1] = taps.at[0] + 1;
    taps.weight[0] = 1 - (x - floor_x);
    taps.weight[1] = x - floor_x;
    taps.slope[0] = -slope;
    taps.slope[1] = slope;
    return taps;
}

static struct sampler samplerOf(const struct aclTensor *in, const struct aclTensor *grid, int axes, const struct plan *plan, int at)
{
    struct sampler sampler = {.axes = axes, .size = {1, 1, 1}, .points = 1, .area = 1};
    sampler.mode = (int)integerAt(plan, at);
    sampler.padding = (int)integerAt(plan, at + 1);
    sampler.is_aligned = integerAt(plan, at + 2) != 0;
    sampler.batch = in->dims[0];
    sampler.channels = in->dims[1];
    for (int i = 0; i < axes; i++) {
        sampler.size[i] = in->dims[in->rank - 1 - i];
        sampler.area *= sampler.size[i];
        sampler.points *= grid->dims[1 + i];
    }
    return sampler;
}

/* Adds up all taps of a point (`up` NULL), or spreads its gradient over them. */
static double sample(const struct sampler *sampler, const double *plane, const double *point, const double *up, double *to_plane, double *to_point)
{
    struct taps taps[AXES] = {{.count = 1, .weight = {1}}, {.count = 1, .weight = {1}}, {.count = 1, .weight = {1}}};
    double sum = 0;
    for (int axis = 0; axis < sampler->axes; axis++) {
        taps[axis] = tapsOf(sampler, point[axis], sampler->size[axis]);
    }
    for (int i = 0; i < taps[0].count * taps[1].count * taps[2].count; i++) {
        int tap[AXES] = {i % taps[0].count, i / taps[0].count % taps[1].count, i / taps[0].count / taps[1].count};
        int64_t place = 0;
        bool is_inside = true;
        for (int axis = AXES - 1; axis >= 0; axis--) {
            int64_t at = taps[axis].at[tap[axis]];
            is_inside = is_inside && at >= 0 && at < sampler->size[axis];
            place = is_inside ? place * sampler->size[axis] + at : 0;
        }
        if (!is_inside) {
            continue;
        }
        double weight = taps[0].weight[tap[0]] * taps[1].weight[tap[1]] * taps[2].weight[tap[2]];
        sum += plane[place] * weight;
        if (up != NULL) {
            to_plane[place] += *up * weight;
            for (int axis = 0; axis < sampler->axes; axis++) {
                double slope = taps[axis].slope[tap[axis]];
                for (int other = 0; other < AXES; other++) {
                    slope *= other == axis ? 1 : taps[other].weight[tap[other]];
                }
                to_point[axis] += *up * plane[place] * slope;
            }
        }
    }
    return sum;
}

/* x, grid, mode, padding, whether corners are aligned, result */
static aclError gridSample(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 5);
    struct sampler sampler = samplerOf(in, tensorAt(plan, 1), plan->row->code, plan, 2);
    int64_t count = operandCount(out);
    double *values = realsOf(in), *grid = realsOf(tensorAt(plan, 1)), *results = malloc(((size_t)count + 1) * sizeof *results);
    bool is_ready = values && grid && results;
    for (int64_t i = 0; is_ready && i < count; i++) {
        int64_t plane = i / sampler.points, batch = plane / sampler.channels, point = i % sampler.points;
        results[i] = sample(&sampler, values + plane * sampler.area, grid + (batch * sampler.points + point) * sampler.axes, NULL, NULL, NULL);
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    free(values);
    free(grid);
    free(results);
    return code;
}

/* gradient, x, grid, mode, padding, whether corners are aligned, which, gradient of x, gradient of the grid */
static aclError gridSampleBackward(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 1), *to_in = tensorAt(plan, 7), *to_grid = tensorAt(plan, 8);
    struct sampler sampler = samplerOf(in, tensorAt(plan, 2), plan->row->code, plan, 3);
    int64_t count = operandCount(tensorAt(plan, 0));
    double *up = realsOf(tensorAt(plan, 0)), *values = realsOf(in), *grid = realsOf(tensorAt(plan, 2));
    double *planes = calloc((size_t)operandCount(in) + 1, sizeof *planes);
    double *points = calloc((size_t)operandCount(tensorAt(plan, 2)) + 1, sizeof *points);
    bool is_ready = up && values && grid && planes && points;
    for (int64_t i = 0; is_ready && i < count; i++) {
        int64_t plane = i / sampler.points, at = (plane / sampler.channels * sampler.points + i % sampler.points) * sampler.axes;
        sample(&sampler, values + plane * sampler.area, grid + at, &up[i], planes + plane * sampler.area, points + at);
    }
    aclError code = is_ready ? ACL_SUCCESS : UNMAPPED;
    code = code == ACL_SUCCESS && to_in && operandCount(to_in) == operandCount(in) ? storeReals(to_in, planes) : code;
    code = code == ACL_SUCCESS && to_grid && operandCount(to_grid) == operandCount(tensorAt(plan, 2)) ? storeReals(to_grid, points) : code;
    free(up);
    free(values);
    free(grid);
    free(planes);
    free(points);
    return code;
}

/* A point of the grid for each element of a plane of the results. */
static bool gridFits(const struct plan *plan)
{
    bool is_backward = plan->row->compute == gridSampleBackward;
    int axes = plan->row->code, mode = is_backward ? 3 : 2;
    const struct aclTensor *in = tensorAt(plan, is_backward), *grid = tensorAt(plan, is_backward + 1), *out = tensorAt(plan, is_backward ? 0 : 5);
    bool fits = in->rank == axes + 2 && grid->rank == in->rank && out->rank == in->rank && grid->dims[axes + 1] == axes;
    fits = fits && in->dims[0] == grid->dims[0] && in->dims[0] == out->dims[0] && in->dims[1] == out->dims[1];
    for (int i = 0; fits && i < axes; i++) {
        fits = grid->dims[1 + i] == out->dims[2 + i];
    }
    if (!fits) {
        return refuse("a grid of shape %s does not fit a tensor of shape %s or its result", shapeText(grid), shapeText(in));
    }
    return (integerAt(plan, mode) >= BILINEAR && integerAt(plan, mode) <= BICUBIC && integerAt(plan, mode + 1) >= ZEROS && integerAt(plan, mode + 1) <= REFLECTION) ||
           refuse("arguments %d and %d name no mode and no padding", mode + 1, mode + 2);
}

#define ROW(operator, letters, function, axes) OPERATOR(operator, letters, function, CHECKS(FITS(gridFits, "the shapes do not fit together")), .code = axes)

const struct operator_row gridRows[] = {
    ROW("GridSampler2D", "TTnnbT", gridSample, 2),
    ROW("GridSampler3D", "TTnnbT", gridSample, 3),
    ROW("GridSampler2DBackward", "TTTnnbBtt", gridSampleBackward, 2),
    ROW("GridSampler3DBackward", "TTTnnbBtt", gridSampleBackward, 3),
    {0},
};
