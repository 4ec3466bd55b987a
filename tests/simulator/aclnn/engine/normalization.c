/* Normalization over rows (layer), groups and channels (batch), and their gradients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operator.h"

struct rooms {
    double *at[8];
    bool is_short;
};

/* Values of a tensor, or NULL where it is absent; frees everything at the end. */
static double *load(struct rooms *rooms, int slot, const struct aclTensor *tensor)
{
    if (tensor == NULL || operandCount(tensor) == 0) {
        return NULL;
    }
    rooms->at[slot] = realsOf(tensor);
    rooms->is_short = rooms->is_short || rooms->at[slot] == NULL;
    return rooms->at[slot];
}

static double *room(struct rooms *rooms, int slot, int64_t count)
{
    rooms->at[slot] = calloc((size_t)count + 1, sizeof(double));
    rooms->is_short = rooms->is_short || rooms->at[slot] == NULL;
    return rooms->at[slot];
}

static aclError store(aclError code, const struct aclTensor *tensor, const double *values)
{
    bool is_wanted = code == ACL_SUCCESS && tensor != NULL && operandCount(tensor) > 0;
    return is_wanted ? storeReals(tensor, values) : code;
}

static aclError end(struct rooms *rooms, aclError code)
{
    for (int i = 0; i < 8; i++) {
        free(rooms->at[i]);
    }
    return rooms->is_short ? UNMAPPED : code;
}

/* Elements that share one mean: `groups` of them, each of `size`; element i of group g has the channel channelOf. */
struct layout {
    int64_t groups, size;
    int64_t channels, inner; /* channel of an element: index / inner % channels */
    bool is_batch;           /* a group is a channel, spread over the batch */
};

static int64_t place(const struct layout *layout, int64_t group, int64_t i)
{
    return layout->is_batch ? (i / layout->inner * layout->channels + group) * layout->inner + i % layout->inner
                            : group * layout->size + i;
}

static void moments(const struct layout *layout, const double *x, int64_t group, double *mean, double *variance)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < layout->size; i++) {
        sum += x[place(layout, group, i)];
    }
    *mean = sum / (double)layout->size;
    for (int64_t i = 0; i < layout->size; i++) {
        double step = x[place(layout, group, i)] - *mean;
        squares += step * step;
    }
    *variance = squares / (double)layout->size;
}

static void apply(const struct layout *layout, double *x, int64_t group, double mean, double root, const double *scale,
                  const double *shift)
{
    for (int64_t i = 0; i < layout->size; i++) {
        int64_t at = place(layout, group, i), channel = at / layout->inner % layout->channels;
        x[at] = (x[at] - mean) * root * (scale ? scale[channel] : 1) + (shift ? shift[channel] : 0);
    }
}

/* The gradient of the input, and sums for those of scale and shift. */
static void gradient(const struct layout *layout, double *up, const double *x, int64_t group, double mean, double root,
                     const double *scale, double *to_scale, double *to_shift, bool is_fixed)
{
    double sum = 0, product = 0;
    for (int64_t i = 0; i < layout->size; i++) {
        int64_t at = place(layout, group, i), channel = at / layout->inner % layout->channels;
        double normal = (x[at] - mean) * root, step = up[at] * (scale ? scale[channel] : 1);
        to_scale[channel] += up[at] * normal;
        to_shift[channel] += up[at];
        sum += step;
        product += step * normal;
    }
    sum /= (double)layout->size;
    product /= (double)layout->size;
    for (int64_t i = 0; i < layout->size; i++) {
        int64_t at = place(layout, group, i), channel = at / layout->inner % layout->channels;
        double normal = (x[at] - mean) * root, step = up[at] * (scale ? scale[channel] : 1);
        up[at] = root * (is_fixed ? step : step - sum - normal * product);
    }
}

static struct layout byChannel(const struct aclTensor *x)
{
    struct layout layout = {.channels = x->rank < 2 ? 1 : x->dims[1], .inner = 1, .is_batch = true};
    for (int axis = 2; axis < x->rank; axis++) {
        layout.inner *= x->dims[axis];
    }
    layout.groups = layout.channels;
    layout.size = operandCount(x) / (layout.channels > 0 ? layout.channels : 1);
    return layout;
}

static struct layout byRow(const struct aclTensor *x, const int64_t *dims, int count)
{
    struct layout layout = {.size = 1, .inner = 1};
    for (int i = 0; i < count; i++) {
        layout.size *= dims[i];
    }
    layout.channels = layout.size;
    layout.groups = layout.size == 0 ? 0 : operandCount(x) / layout.size;
    return layout;
}

static struct layout byGroup(const struct aclTensor *x, int64_t channels, int64_t inner, int64_t groups)
{
    struct layout layout = {.channels = channels, .inner = inner};
    layout.size = channels / groups * inner;
    layout.groups = layout.size == 0 ? 0 : operandCount(x) / layout.size;
    return layout;
}

/* x, scale, shift, running mean, running variance, training, momentum, epsilon, result, mean, root */
static aclError batchNorm(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    struct rooms rooms = {0};
    struct layout layout = byChannel(in);
    double *x = load(&rooms, 0, in), *scale = load(&rooms, 1, tensorAt(plan, 1)), *shift = load(&rooms, 2, tensorAt(plan, 2));
    double *mean = load(&rooms, 3, tensorAt(plan, 3)), *variance = load(&rooms, 4, tensorAt(plan, 4));
    double *means = room(&rooms, 5, layout.groups), *roots = room(&rooms, 6, layout.groups);
    bool is_training = integerAt(plan, 5) != 0;
    double momentum = numberAt(plan, 6);
    for (int64_t group = 0; !rooms.is_short && x && group < layout.groups; group++) {
        double own_mean, own_variance;
        if (is_training || !mean || !variance) {
            moments(&layout, x, group, &own_mean, &own_variance);
        } else {
            own_mean = mean[group];
            own_variance = variance[group];
        }
        means[group] = own_mean;
        roots[group] = 1 / sqrt(own_variance + numberAt(plan, 7));
        apply(&layout, x, group, own_mean, roots[group], scale, shift);
        if (is_training && mean && variance) {
            double unbiased = layout.size > 1 ? own_variance * (double)layout.size / (double)(layout.size - 1) : own_variance;
            mean[group] += momentum * (own_mean - mean[group]);
            variance[group] += momentum * (unbiased - variance[group]);
        }
    }
    aclError code = ACL_SUCCESS;
    if (!rooms.is_short && x) {
        code = store(code, tensorAt(plan, 8), x);
        code = is_training ? store(code, tensorAt(plan, 9), means) : code;
        code = is_training ? store(code, tensorAt(plan, 10), roots) : code;
        code = is_training && mean ? store(code, tensorAt(plan, 3), mean) : code;
        code = is_training && variance ? store(code, tensorAt(plan, 4), variance) : code;
    }
    return end(&rooms, code);
}

/* gradient, x, scale, running mean, running variance, mean, root, training, epsilon, which, three results */
static aclError batchNormGradient(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 1);
    struct rooms rooms = {0};
    struct layout layout = byChannel(in);
    bool is_training = integerAt(plan, 7) != 0;
    double *up = load(&rooms, 0, tensorAt(plan, 0)), *x = load(&rooms, 1, in), *scale = load(&rooms, 2, tensorAt(plan, 2));
    double *mean = load(&rooms, 3, tensorAt(plan, is_training ? 5 : 3)), *root = load(&rooms, 4, tensorAt(plan, is_training ? 6 : 4));
    double *to_scale = room(&rooms, 5, layout.channels), *to_shift = room(&rooms, 6, layout.channels);
    for (int64_t group = 0; !rooms.is_short && up && x && mean && root && group < layout.groups; group++) {
        double by = is_training ? root[group] : 1 / sqrt(root[group] + numberAt(plan, 8));
        gradient(&layout, up, x, group, mean[group], by, scale, to_scale, to_shift, !is_training);
    }
    aclError code = ACL_SUCCESS;
    if (!rooms.is_short && up) {
        code = store(code, tensorAt(plan, 10), up);
        code = store(code, tensorAt(plan, 11), to_scale);
        code = store(code, tensorAt(plan, 12), to_shift);
    }
    return end(&rooms, code);
}

/* Rows or groups; the arguments that both kinds share are at these places. */
static aclError normalize(const struct plan *plan, struct layout layout, int scale_at, int epsilon_at, int out_at)
{
    struct rooms rooms = {0};
    double *x = load(&rooms, 0, tensorAt(plan, 0)), *scale = load(&rooms, 1, tensorAt(plan, scale_at));
    double *shift = load(&rooms, 2, tensorAt(plan, scale_at + 1));
    double *means = room(&rooms, 3, layout.groups), *roots = room(&rooms, 4, layout.groups);
    for (int64_t group = 0; !rooms.is_short && x && group < layout.groups; group++) {
        double variance;
        moments(&layout, x, group, &means[group], &variance);
        roots[group] = 1 / sqrt(variance + numberAt(plan, epsilon_at));
        apply(&layout, x, group, means[group], roots[group], scale, shift);
    }
    aclError code = ACL_SUCCESS;
    if (!rooms.is_short && x) {
        code = store(code, tensorAt(plan, out_at), x);
        code = store(code, tensorAt(plan, out_at + 1), means);
        code = store(code, tensorAt(plan, out_at + 2), roots);
    }
    return end(&rooms, code);
}

/* x, shape, scale, shift, epsilon, result, mean, root */
static aclError layerNorm(const struct plan *plan)
{
    return normalize(plan, byRow(tensorAt(plan, 0), integersAt(plan, 1), countAt(plan, 1)), 2, 4, 5);
}

/* x, scale, shift, batch, channels, inner size, groups, epsilon, result, mean, root */
static aclError groupNorm(const struct plan *plan)
{
    return normalize(plan, byGroup(tensorAt(plan, 0), integerAt(plan, 4), integerAt(plan, 5), integerAt(plan, 6)), 1, 7, 8);
}

static aclError normalizeGradient(const struct plan *plan, struct layout layout, int mean_at, int scale_at, int out_at)
{
    struct rooms rooms = {0};
    double *up = load(&rooms, 0, tensorAt(plan, 0)), *x = load(&rooms, 1, tensorAt(plan, 1));
    double *mean = load(&rooms, 2, tensorAt(plan, mean_at)), *root = load(&rooms, 3, tensorAt(plan, mean_at + 1));
    double *scale = load(&rooms, 4, tensorAt(plan, scale_at));
    double *to_scale = room(&rooms, 5, layout.channels), *to_shift = room(&rooms, 6, layout.channels);
    for (int64_t group = 0; !rooms.is_short && up && x && mean && root && group < layout.groups; group++) {
        gradient(&layout, up, x, group, mean[group], root[group], scale, to_scale, to_shift, false);
    }
    aclError code = ACL_SUCCESS;
    if (!rooms.is_short) {
        code = up ? store(code, tensorAt(plan, out_at), up) : code;
        code = store(code, tensorAt(plan, out_at + 1), to_scale);
        code = store(code, tensorAt(plan, out_at + 2), to_shift);
    }
    return end(&rooms, code);
}

/* gradient, x, shape, mean, root, scale, shift, which, three results */
static aclError layerNormGradient(const struct plan *plan)
{
    return normalizeGradient(plan, byRow(tensorAt(plan, 1), integersAt(plan, 2), countAt(plan, 2)), 3, 5, 8);
}

/* gradient, x, mean, root, scale, batch, channels, inner size, groups, which, three results */
static aclError groupNormGradient(const struct plan *plan)
{
    struct layout layout = byGroup(tensorAt(plan, 1), integerAt(plan, 6), integerAt(plan, 7), integerAt(plan, 8));
    return normalizeGradient(plan, layout, 2, 4, 10);
}

/* gradient, x, root, scale, result, gradient of the scale */
static aclError rmsNormGradient(const struct plan *plan)
{
    struct rooms rooms = {0};
    const struct aclTensor *gamma = tensorAt(plan, 3);
    int64_t size = operandCount(gamma), rows = size == 0 ? 0 : operandCount(tensorAt(plan, 1)) / size;
    double *up = load(&rooms, 0, tensorAt(plan, 0)), *x = load(&rooms, 1, tensorAt(plan, 1));
    double *root = load(&rooms, 2, tensorAt(plan, 2)), *scale = load(&rooms, 3, gamma), *to_scale = room(&rooms, 4, size);
    for (int64_t row = 0; !rooms.is_short && up && x && root && scale && row < rows; row++) {
        double *dy = up + row * size, product = 0;
        const double *in = x + row * size;
        for (int64_t i = 0; i < size; i++) {
            to_scale[i] += dy[i] * in[i] * root[row];
            product += dy[i] * scale[i] * in[i];
        }
        product *= root[row] * root[row] * root[row] / (double)size;
        for (int64_t i = 0; i < size; i++) {
            dy[i] = dy[i] * scale[i] * root[row] - in[i] * product;
        }
    }
    aclError code = ACL_SUCCESS;
    if (!rooms.is_short && up) {
        code = store(store(code, tensorAt(plan, 4), up), tensorAt(plan, 5), to_scale);
    }
    return end(&rooms, code);
}

/* Whether each argument has `each` elements, or none. */
static bool haveEach(const struct plan *plan, const int *arguments, int count, int64_t each)
{
    for (int i = 0; i < count; i++) {
        const struct aclTensor *tensor = tensorAt(plan, arguments[i]);
        if (tensor != NULL && operandCount(tensor) != 0 && operandCount(tensor) != each) {
            return refuse("argument %d of shape %s has not %lld elements", arguments[i] + 1, shapeText(tensor), (long long)each);
        }
    }
    return true;
}
#define EACH(plan, count, ...) haveEach(plan, (const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)), count)

static bool channelsFit(const struct plan *plan)
{
    bool is_backward = plan->row->compute == batchNormGradient;
    int64_t channels = byChannel(tensorAt(plan, is_backward)).channels;
    return is_backward ? EACH(plan, channels, 2, 3, 4, 5, 6, 11, 12) : EACH(plan, channels, 1, 2, 3, 4, 9, 10);
}

static bool rowFits(const struct plan *plan)
{
    bool is_backward = plan->row->compute == layerNormGradient;
    int at = is_backward + 1, count = countAt(plan, at);
    const struct aclTensor *x = tensorAt(plan, is_backward);
    bool fits = count <= x->rank;
    for (int i = 0; fits && i < count; i++) {
        fits = integersAt(plan, at)[i] == x->dims[x->rank - count + i];
    }
    if (!fits) {
        return refuse("argument %d is not the last dimensions of argument %d of shape %s", at + 1, is_backward + 1, shapeText(x));
    }
    struct layout layout = byRow(x, integersAt(plan, at), count);
    return is_backward ? EACH(plan, layout.groups, 3, 4) && EACH(plan, layout.size, 5, 6, 9, 10) : EACH(plan, layout.size, 2, 3) && EACH(plan, layout.groups, 6, 7);
}

static bool groupFits(const struct plan *plan)
{
    bool is_backward = plan->row->compute == groupNormGradient;
    int at = is_backward ? 5 : 3;
    const struct aclTensor *x = tensorAt(plan, is_backward);
    int64_t batch = integerAt(plan, at), channels = integerAt(plan, at + 1), inner = integerAt(plan, at + 2), groups = integerAt(plan, at + 3), count, whole;
    bool fits = batch >= 0 && channels >= 0 && inner >= 0 && groups > 0 && channels % groups == 0;
    fits = fits && !__builtin_mul_overflow(batch, channels, &count) && !__builtin_mul_overflow(count, inner, &whole) && whole == operandCount(x);
    if (!fits) {
        return refuse("argument %d of shape %s is no batch of %lld by %lld channels in %lld groups", is_backward + 1, shapeText(x), (long long)batch,
                      (long long)channels, (long long)groups);
    }
    struct layout layout = byGroup(x, channels, inner, groups);
    return is_backward ? EACH(plan, layout.groups, 2, 3) && EACH(plan, channels, 4, 11, 12) : EACH(plan, channels, 1, 2) && EACH(plan, layout.groups, 9, 10);
}

static bool rootFits(const struct plan *plan)
{
    int64_t size = operandCount(tensorAt(plan, 3)), count = operandCount(tensorAt(plan, 1));
    return size == 0 || (count % size == 0 && operandCount(tensorAt(plan, 2)) == count / size);
}
#define CHANNELS "statistics have not one element for each channel"
#define ROWS "the rows have other shapes"
#define GROUPS "the groups have other shapes"

#define ROW(operator, letters, function, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__))

const struct operator_row normalizationRows[] = {
    ROW("BatchNorm", "TttttbddTtt", batchNorm, AS_MANY(8, 0), FITS(channelsFit, CHANNELS)),
    ROW("BatchNormBackward", "TTtttttbdBttt", batchNormGradient, AS_MANY(0, 1), AS_MANY_IF_ANY(10, 1), FITS(channelsFit, CHANNELS)),
    ROW("LayerNorm", "TIttdTtt", layerNorm, FITS(rowFits, ROWS), AS_MANY(5, 0)),
    ROW("FastLayerNorm", "TIttdTtt", layerNorm, FITS(rowFits, ROWS), AS_MANY(5, 0)),
    ROW("LayerNormBackward", "TTITTttBttt", layerNormGradient, AS_MANY(0, 1), FITS(rowFits, ROWS), AS_MANY_IF_ANY(8, 1)),
    ROW("GroupNorm", "TttnnnndTtt", groupNorm, FITS(groupFits, GROUPS), AS_MANY(8, 0)),
    ROW("GroupNormBackward", "TTTTtnnnnBttt", groupNormGradient, AS_MANY(0, 1), FITS(groupFits, GROUPS), AS_MANY_IF_ANY(10, 1)),
    ROW("RmsNormGrad", "TTTTTT", rmsNormGradient, AS_MANY(0, 1), AS_MANY(4, 1), AS_MANY(5, 3), FITS(rootFits, "argument 3 has not a root for each row of argument 4's size")),
    {0},
};
