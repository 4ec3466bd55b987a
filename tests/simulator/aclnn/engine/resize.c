/* Resized pictures, signals and volumes: nearest, linear and cubic samples, and their gradients, the way PyTorch places them. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

enum { AXES = 3, TAPS = 4 };
enum sample { NEAREST, EXACT, LINEAR, CUBIC, KINDS, GRADIENT = KINDS };

/* Where the elements of an axis of the larger shape come from, `taps` places for each. */
struct axis {
    int64_t from, to; /* sizes before and after */
    int taps;
    int64_t *places;
    double *weights;
};

struct resize {
    int count; /* axes that are resized: the last ones */
    struct axis axes[AXES];
    int64_t planes, from, to; /* elements of a plane before and after */
    bool is_backward;
    double *values, *results;
};

static double cubic(double distance)
{
    const double a = -0.75;
    distance = fabs(distance);
    return distance <= 1 ? ((a + 2) * distance - (a + 3)) * distance * distance + 1 : ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a;
}

static int64_t within(int64_t place, int64_t size)
{
    return place < 0 ? 0 : place >= size ? size - 1 : place;
}

/* Single precision where PyTorch's CPU kernels have it, since a place is rounded down. */
static void sampleAt(struct axis *axis, enum sample sample, int64_t at, bool is_aligned, double factor)
{
    float scale = factor > 0 ? (float)(1 / factor) : (float)axis->from / (float)axis->to;
    if (is_aligned) {
        scale = axis->to > 1 ? (float)(axis->from - 1) / (float)(axis->to - 1) : 0;
    }
    int64_t *places = axis->places + at * axis->taps;
    double *weights = axis->weights + at * axis->taps;
    if (sample == NEAREST || sample == EXACT) {
        places[0] = within(wholeOf(floorf(((float)at + (sample == EXACT ? 0.5f : 0)) * scale)), axis->from);
        weights[0] = 1;
        return;
    }
    float place = is_aligned ? scale * (float)at : scale * ((float)at + 0.5f) - 0.5f;
    if (sample == LINEAR) {
        place = place < 0 ? 0 : place;
        places[0] = within(wholeOf(place), axis->from);
        places[1] = within(places[0] + 1, axis->from);
        weights[1] = fmin(fmax((double)place - (double)places[0], 0), 1);
        weights[0] = 1 - weights[1];
        return;
    }
    float floor_of = fminf(fmaxf(floorf(place), -TAPS), (float)(axis->from + TAPS)); /* Beyond, all taps are the border's. */
    int64_t first = wholeOf(floor_of) - 1;
    for (int tap = 0; tap < TAPS; tap++) {
        places[tap] = within(first + tap, axis->from);
        weights[tap] = cubic((double)place - (double)(first + tap));
    }
}

/* Planes [from, to): every element of the larger side takes from, or gives to, its places. */
static void part(void *argument, int64_t from, int64_t to)
{
    const struct resize *resize = argument;
    int combinations = 1;
    for (int i = 0; i < resize->count; i++) {
        combinations *= resize->axes[i].taps;
    }
    for (int64_t plane = from; plane < to; plane++) {
        double *small = (resize->is_backward ? resize->results : resize->values) + plane * resize->from;
        double *large = (resize->is_backward ? resize->values : resize->results) + plane * resize->to;
        for (int64_t i = 0; i < resize->to; i++) {
            for (int choice = 0; choice < combinations; choice++) {
                int64_t rest = i, position = 0, stride = 1;
                int taps = choice;
                double weight = 1;
                for (int axis = resize->count - 1; axis >= 0; axis--) {
                    const struct axis *along = &resize->axes[axis];
                    int64_t slot = rest % along->to * along->taps + taps % along->taps;
                    position += along->places[slot] * stride;
                    weight *= along->weights[slot];
                    stride *= along->from;
                    rest /= along->to;
                    taps /= along->taps;
                }
                if (resize->is_backward) {
                    small[position] += weight * large[i];
                } else {
                    large[i] += weight * small[position];
                }
            }
        }
    }
}

static bool prepare(struct resize *resize, const struct plan *plan, const struct aclTensor *in, const struct aclTensor *out)
{
    enum sample sample = (enum sample)(plan->row->code % KINDS);
    const struct aclTensor *small = resize->is_backward ? out : in, *large = resize->is_backward ? in : out;
    double factors[AXES] = {0};
    int factor = 0;
    bool is_aligned = false;
    for (int i = 0; i < plan->arguments_count; i++) {
        char kind = argumentAt(plan, i)->kind;
        is_aligned = is_aligned || (kind == 'b' && integerAt(plan, i) != 0);
        if ((kind == 'd' || kind == 'f') && factor < AXES) {
            factors[factor++] = numberAt(plan, i);
        }
    }
    resize->count = small->rank - 2;
    resize->planes = small->dims[0] * small->dims[1];
    resize->from = resize->to = 1;
    for (int i = 0; i < resize->count; i++) {
        struct axis *axis = &resize->axes[i];
        *axis = (struct axis){.from = small->dims[i + 2], .to = large->dims[i + 2]};
        axis->taps = sample == LINEAR ? 2 : sample == CUBIC ? TAPS : 1;
        resize->from *= axis->from;
        resize->to *= axis->to;
        axis->places = malloc(((size_t)(axis->to * axis->taps) + 1) * sizeof *axis->places);
        axis->weights = malloc(((size_t)(axis->to * axis->taps) + 1) * sizeof *axis->weights);
        if (axis->places == NULL || axis->weights == NULL) {
            return false;
        }
        for (int64_t at = 0; axis->from > 0 && at < axis->to; at++) {
            sampleAt(axis, sample, at, is_aligned, factors[i]);
        }
    }
    resize->values = realsOf(in);
    resize->results = calloc((size_t)operandCount(out) + 1, sizeof *resize->results);
    return resize->values != NULL && resize->results != NULL;
}

/* tensor, size, [size before,] [whether corners are aligned,] [scales,] result */
static aclError resized(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[1];
    struct resize resize = {.is_backward = plan->row->code >= GRADIENT};
    aclError code = UNMAPPED;
    if (prepare(&resize, plan, in, out)) {
        if (operandCount(in) > 0) {
            inParallel(resize.planes, 20.0 * (double)resize.to, part, &resize);
        }
        code = storeReals(out, resize.results);
    }
    for (int i = 0; i < AXES; i++) {
        free(resize.axes[i].places);
        free(resize.axes[i].weights);
    }
    free(resize.values);
    free(resize.results);
    return code;
}

static bool resizedFits(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[1];
    bool fits = in->rank >= 3 && in->rank <= AXES + 2 && out->rank == in->rank && in->dims[0] == out->dims[0] && in->dims[1] == out->dims[1];
    for (int axis = 2; fits && axis < in->rank; axis++) {
        fits = in->dims[axis] > 0 && out->dims[axis] > 0;
    }
    return fits || refuse("planes of shape %s are not resized to %s", shapeText(in), shapeText(out));
}

#define ROW(operator, letters, what) OPERATOR("Upsample" operator, letters, resized, CHECKS(FITS(resizedFits, "the planes do not fit")), .code = what)

const struct operator_row resizeRows[] = {
    ROW("Nearest1d", "TIT", NEAREST),
    ROW("Nearest1dV2", "TIfT", NEAREST),
    ROW("Nearest1dBackward", "TIIdT", NEAREST + GRADIENT),
    ROW("Nearest2d", "TIT", NEAREST),
    ROW("Nearest2dV2", "TIffT", NEAREST),
    ROW("Nearest2dBackward", "TIIddT", NEAREST + GRADIENT),
    ROW("Nearest3d", "TIdddT", NEAREST),
    ROW("Nearest3dBackward", "TIIdddT", NEAREST + GRADIENT),
    ROW("NearestExact1d", "TIdT", EXACT),
    ROW("NearestExact1dBackward", "TIIdT", EXACT + GRADIENT),
    ROW("NearestExact2d", "TIddT", EXACT),
    ROW("NearestExact2dBackward", "TIIddT", EXACT + GRADIENT),
    ROW("NearestExact3d", "TIdddT", EXACT),
    ROW("NearestExact3dBackward", "TIIdddT", EXACT + GRADIENT),
    ROW("Linear1d", "TIbdT", LINEAR),
    ROW("Linear1dBackward", "TIIbdT", LINEAR + GRADIENT),
    ROW("Bilinear2d", "TIbddT", LINEAR),
    ROW("Bilinear2dBackward", "TIIbddT", LINEAR + GRADIENT),
    ROW("Bilinear2dBackwardV2", "TIIbddT", LINEAR + GRADIENT),
    ROW("Bicubic2d", "TIbddT", CUBIC),
    ROW("Bicubic2dBackward", "TIIbddT", CUBIC + GRADIENT),
    ROW("Trilinear3d", "TIbdddT", LINEAR),
    ROW("Trilinear3dBackward", "TIIbdddT", LINEAR + GRADIENT),
    {0},
};
