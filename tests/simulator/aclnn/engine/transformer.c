/* What layers of transformers fuse: gated halves, rotated positions, a sum and its norm. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

static double silu(double value)
{
    return value / (1 + exp(-value));
}

static double gelu(double value)
{
    return 0.5 * value * (1 + erf(value * M_SQRT1_2));
}

static double geluByTanh(double value)
{
    return 0.5 * value * (1 + tanh(sqrt(2 / M_PI) * (value + 0.044715 * value * value * value)));
}

/* One half of a tensor along an axis. */
static struct aclTensor half(const struct aclTensor *tensor, int axis, bool is_second)
{
    struct aclTensor part = *tensor;
    part.dims[axis] /= 2;
    part.offset += is_second ? part.dims[axis] * part.strides[axis] : 0;
    return part;
}

/* The activated half times the other one; `activated`: where the first factor goes, too, or NULL. */
static aclError gated(const struct aclTensor *in, int64_t axis_given, double (*activation)(double), bool is_second, const struct aclTensor *out,
                      const struct aclTensor *activated)
{
    int axis = axisOf(axis_given, in->rank);
    struct aclTensor one = half(in, axis, is_second), other = half(in, axis, !is_second);
    double *values = realsOf(&one), *factors = realsOf(&other);
    bool is_ready = values && factors;
    int64_t count = operandCount(&one);
    for (int64_t i = 0; is_ready && i < count; i++) {
        values[i] = activation(values[i]);
        factors[i] *= values[i];
    }
    aclError code = is_ready ? storeReals(out, factors) : UNMAPPED;
    code = code == ACL_SUCCESS && activated != NULL ? storeReals(activated, values) : code;
    free(values);
    free(factors);
    return code;
}

/* tensor, axis, result */
static aclError swiGlu(const struct plan *plan)
{
    return gated(tensorAt(plan, 0), integerAt(plan, 1), silu, false, tensorAt(plan, 2), NULL);
}

/* tensor, axis, which approximation (0: by tanh, 1: none), whether the left half is activated, result, activated half */
static aclError geGlu(const struct plan *plan)
{
    double (*activation)(double) = integerAt(plan, 2) == 0 ? geluByTanh : gelu;
    return gated(tensorAt(plan, 0), integerAt(plan, 1), activation, integerAt(plan, 3) == 0, tensorAt(plan, 4), tensorAt(plan, 5));
}

/* The axis has two halves, of which each result has the shape. */
static bool halvesFit(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    int axis = axisOf(integerAt(plan, 1), in->rank);
    struct aclTensor one = half(in, axis, false);
    for (int at = 2; at < plan->arguments_count; at++) {
        const struct aclTensor *out = tensorAt(plan, at);
        if (out != NULL && (in->dims[axis] % 2 != 0 || operandCount(out) != operandCount(&one))) {
            return refuse("argument %d of shape %s is no half of argument 1 of shape %s along the axis %d", at + 1, shapeText(out), shapeText(in), axis);
        }
    }
    return true;
}

enum { HALVES, PAIRS, QUARTERS, PAIRS_TO_HALVES };

/* Which element of a row goes with the one at `i`, and whether its sign changes. */
static int64_t partner(int64_t i, int64_t width, int64_t mode, bool *is_negative)
{
    int64_t part = mode == PAIRS ? 1 : width / (mode == HALVES ? 2 : 4);
    bool is_first = i / part % 2 == 0;
    *is_negative = is_first;
    return is_first ? i + part : i - part;
}

/* x, cosines, sines, mode, result */
static aclError rotate(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    int64_t count = operandCount(in), width = in->dims[in->rank - 1], mode = integerAt(plan, 3);
    size_t room = ((size_t)count + 1) * sizeof(double);
    struct spread cosine, sine;
    double *values = realsOf(in), *cosines = malloc(room), *sines = malloc(room);
    bool is_ready = values && cosines && sines && spreadOver(&cosine, tensorAt(plan, 1), in->rank, in->dims) &&
                    spreadOver(&sine, tensorAt(plan, 2), in->rank, in->dims);
    if (is_ready && count > 0) {
        takeReals(&cosine, 0, count, cosines);
        takeReals(&sine, 0, count, sines);
    }
    for (int64_t i = 0; is_ready && i < count; i++) {
        bool is_negative;
        double other = values[i / width * width + partner(i % width, width, mode, &is_negative)];
        cosines[i] = values[i] * cosines[i] + (is_negative ? -other : other) * sines[i];
    }
    aclError code = is_ready ? storeReals(tensorAt(plan, 4), cosines) : UNMAPPED;
    free(values);
    free(cosines);
    free(sines);
    return code;
}

static bool isBeyond(const struct plan *plan)
{
    return integerAt(plan, 3) == PAIRS_TO_HALVES;
}

static bool rotationFits(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    int64_t width = in->dims[in->rank - 1], parts = integerAt(plan, 3) == QUARTERS ? 4 : 2;
    return width % parts == 0 || refuse("argument 1 of shape %s has rows that are not %d equal parts", shapeText(in), (int)parts);
}

/* x1, x2, gamma, epsilon, result, roots, sum */
static aclError addRmsNorm(const struct plan *plan)
{
    const struct aclTensor *one = tensorAt(plan, 0), *sum = tensorAt(plan, 6);
    int64_t length = operandCount(tensorAt(plan, 2)), count = operandCount(one);
    double *values = realsOf(one), *others = realsOf(tensorAt(plan, 1)), *gamma = realsOf(tensorAt(plan, 2));
    double *roots = malloc(((size_t)(count / length) + 1) * sizeof *roots);
    bool is_ready = values && others && gamma && roots;
    for (int64_t i = 0; is_ready && i < count; i++) {
        values[i] += others[i];
    }
    /* What is normalized is the sum as it is stored. */
    aclError code = is_ready ? storeReals(sum, values) : UNMAPPED;
    free(values);
    values = code == ACL_SUCCESS ? realsOf(sum) : NULL;
    for (int64_t row = 0; values && row < count / length; row++) {
        double squares = 0, *elements = values + row * length;
        for (int64_t i = 0; i < length; i++) {
            squares += elements[i] * elements[i];
        }
        roots[row] = 1 / sqrt(squares / (double)length + numberAt(plan, 3));
        for (int64_t i = 0; i < length; i++) {
            elements[i] *= roots[row] * gamma[i];
        }
    }
    code = code != ACL_SUCCESS ? code : values ? storeReals(tensorAt(plan, 4), values) : NO_ROOM;
    code = code == ACL_SUCCESS ? storeReals(tensorAt(plan, 5), roots) : code;
    free(values);
    free(others);
    free(gamma);
    free(roots);
    return code;
}

static bool rootsFit(const struct plan *plan)
{
    return operandCount(tensorAt(plan, 0)) == operandCount(tensorAt(plan, 2)) * operandCount(tensorAt(plan, 5));
}
#define ROOTS "argument 6 has not a root for each row of argument 3's size"

#define ROW(operator, letters, function, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__))

const struct operator_row transformerRows[] = {
    ROW("SwiGlu", "TnT", swiGlu, RANKS(0, 1, RANK), AXIS(1, 0), FITS(halvesFit, ROOTS)),
    ROW("GeGluV3", "TnnbTT", geGlu, RANKS(0, 1, RANK), AXIS(1, 0), WITHIN(2, 0, 1), FITS(halvesFit, ROOTS)),
    OPERATOR("RotaryPositionEmbedding", "TTTnT", rotate,
             CHECKS(RANKS(0, 1, RANK), SPREADS(1, 0), SPREADS(2, 0), WITHIN(3, HALVES, QUARTERS), AS_MANY(4, 0), FITS(rotationFits, ROOTS)),
             .is_beyond = isBeyond),
    ROW("AddRmsNorm", "TTTdTTT", addRmsNorm, SAME(1, 0), ELEMENTS(2, 1), SAME(4, 0), SAME(6, 0), FITS(rootsFit, ROOTS)),
    {0},
};
