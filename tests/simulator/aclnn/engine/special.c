/* Less common functions element by element: logarithms of sums, shrinking, rounding to decimals, and their gradients. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

/* exp(a) + exp(b) without overflow; infinities of one sign are themselves. */
static double logAddExp(double a, double b, double base)
{
    double most = a > b ? a : b, least = a > b ? b : a;
    if (a != a || b != b) {
        return NAN;
    }
    return isinf(most) || most == least ? most + (isinf(most) ? 0 : 1 / log2(base)) : most + log1p(pow(base, least - most)) / log(base);
}

/* Giles' polynomial, then two steps of Newton's method, which make it exact in double precision. */
static double erfInverse(double y)
{
    if (!(y > -1 && y < 1)) {
        return y == 1 ? INFINITY : y == -1 ? -INFINITY : NAN;
    }
    double w = -log((1 - y) * (1 + y)), x;
    if (w < 5) {
        const double c[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                            -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
        x = c[0];
        for (int i = 1; i < 9; i++) {
            x = c[i] + x * (w - 2.5);
        }
    } else {
        const double c[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                            -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
        x = c[0];
        for (int i = 1; i < 9; i++) {
            x = c[i] + x * (sqrt(w) - 3);
        }
    }
    x *= y;
    for (int step = 0; step < 2; step++) {
        double slope = M_2_SQRTPI * exp(-x * x);
        x -= slope > 0 ? (erf(x) - y) / slope : 0;
    }
    return x;
}

static double roundDecimals(double value, double decimals)
{
    double factor = pow(10, fabs(decimals));
    if (value != value || isinf(value)) {
        return value;
    }
    return decimals < 0 ? nearbyint(value / factor) * factor : nearbyint(value * factor) / factor;
}

static int64_t divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = wholeRest(a, b);
        a = b;
        b = rest;
    }
    return a < 0 ? (int64_t)-(uint64_t)a : a;
}

REAL(log_add_exp, logAddExp(a, b, M_E))
REAL(log_add_exp2, logAddExp(a, b, 2))
REAL(xlogy, b != b ? NAN : a == 0 ? 0 : a * log(b))
REAL(erfinv, erfInverse(a))
REAL(round_decimals, roundDecimals(a, b))
REAL(threshold, a <= b ? c : a)
WHOLE(threshold, a <= b ? c : a)
REAL(softshrink, a > b ? a - b : a < -b ? a + b : a != a ? a : 0)
REAL(hardshrink, a >= -b && a <= b ? 0 : a)
REAL(shrink_backward, b >= -c && b <= c ? 0 : a)
REAL(angle, a != a ? a : signbit(a) && a != 0 ? M_PI : 0)
REAL(nan_to_num, a != a ? b : isinf(a) ? (a > 0 ? c : d) : a)
WHOLE(gcd, divisor(a, b))
REAL(gcd, (double)divisor(wholeOf(a), wholeOf(b)))
REAL(clamp_min, a != a || b != b ? NAN : a < b ? b : a)
REAL(clamp_max, a != a || b != b ? NAN : a > b ? b : a)
WHOLE(clamp_min, a < b ? b : a)
WHOLE(clamp_max, a > b ? b : a)
WHOLE(shift_left, (int64_t)((uint64_t)a << (b & 63)))
REAL(shift_left, ldexp(a, b > -4096 && b < 4096 ? (int)b : b < 0 ? -4096 : 4096))

/* tensor, gradient, epsilon, result */
static double real_logit_backward(double x, double up, double epsilon, double d)
{
    (void)d;
    if (epsilon < 0) {
        return x < 0 || x > 1 ? NAN : up / (x * (1 - x));
    }
    return x < epsilon || x > 1 - epsilon ? 0 : up / (x * (1 - x));
}

/* one, other, relative, absolute, whether not-a-number equals itself, result */
static aclError isClose(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 5);
    struct spread one, other;
    double relative = numberAt(plan, 2), absolute = numberAt(plan, 3), a, b;
    if (!spreadOver(&one, tensorAt(plan, 0), out->rank, out->dims) || !spreadOver(&other, tensorAt(plan, 1), out->rank, out->dims)) {
        return UNMAPPED;
    }
    double *results = malloc(((size_t)one.count + 1) * sizeof *results);
    for (int64_t i = 0; results && i < one.count; i++) {
        takeReals(&one, i, 1, &a);
        takeReals(&other, i, 1, &b);
        bool is_nan = a != a && b != b;
        results[i] = a == b || (is_nan && integerAt(plan, 4) != 0) || (isfinite(a) && isfinite(b) && fabs(a - b) <= absolute + fabs(relative * b));
    }
    aclError code = results ? storeReals(out, results) : NO_ROOM;
    free(results);
    return code;
}

/* The slope of a channel (the second axis) or of everything. */
static double slopeOf(const struct aclTensor *x, const double *weights, int64_t count, int64_t i, int64_t *channel)
{
    int64_t inner = 1;
    for (int axis = 2; axis < x->rank; axis++) {
        inner *= x->dims[axis];
    }
    *channel = count == 1 ? 0 : i / inner % count;
    return weights[*channel];
}

/* tensor, slopes, result */
static aclError prelu(const struct plan *plan)
{
    const struct aclTensor *x = tensorAt(plan, 0);
    double *values = realsOf(x), *weights = realsOf(tensorAt(plan, 1));
    int64_t channel, count = operandCount(tensorAt(plan, 1));
    for (int64_t i = 0; values && weights && i < operandCount(x); i++) {
        values[i] *= values[i] > 0 ? 1 : slopeOf(x, weights, count, i, &channel);
    }
    aclError code = values && weights ? storeReals(tensorAt(plan, 2), values) : UNMAPPED;
    free(values);
    free(weights);
    return code;
}

/* gradient, tensor, slopes, gradient of the tensor, gradient of the slopes */
static aclError preluBackward(const struct plan *plan)
{
    const struct aclTensor *x = tensorAt(plan, 1), *slopes = tensorAt(plan, 4);
    double *up = realsOf(tensorAt(plan, 0)), *values = realsOf(x), *weights = realsOf(tensorAt(plan, 2));
    int64_t count = operandCount(tensorAt(plan, 2)), channel;
    double *sums = calloc((size_t)count + 1, sizeof *sums);
    bool is_ready = up && values && weights && sums;
    for (int64_t i = 0; is_ready && i < operandCount(x); i++) {
        double slope = slopeOf(x, weights, count, i, &channel);
        sums[channel] += values[i] > 0 ? 0 : up[i] * values[i];
        up[i] *= values[i] > 0 ? 1 : slope;
    }
    aclError code = is_ready ? storeReals(tensorAt(plan, 3), up) : UNMAPPED;
    code = code == ACL_SUCCESS && operandCount(slopes) == count ? storeReals(slopes, sums) : code;
    free(up);
    free(values);
    free(weights);
    free(sums);
    return code;
}

/* start, end, steps, base, result */
static aclError logSpace(const struct plan *plan)
{
    double start = numberAt(plan, 0), end = numberAt(plan, 1);
    if (!typeIsReal(tensorAt(plan, 4)->type)) {
        start = trunc(start);
        end = trunc(end);
    }
    int64_t steps = operandCount(tensorAt(plan, 4));
    double *values = malloc(((size_t)steps + 1) * sizeof *values), step = steps > 1 ? (end - start) / (double)(steps - 1) : 0;
    for (int64_t i = 0; values && i < steps; i++) {
        values[i] = pow(numberAt(plan, 3), i < (steps + 1) / 2 ? start + step * (double)i : end - step * (double)(steps - 1 - i));
    }
    aclError code = values ? storeReals(tensorAt(plan, 4), values) : NO_ROOM;
    free(values);
    return code;
}

/* One slope, or one for each channel. */
static bool slopesFit(const struct plan *plan)
{
    bool is_backward = plan->count == 5;
    const struct aclTensor *x = tensorAt(plan, is_backward);
    int64_t count = operandCount(tensorAt(plan, is_backward + 1));
    return count == 1 || (count > 0 && count == (x->rank < 2 ? 1 : x->dims[1]));
}
#define SLOPES "the slopes are neither one nor one for each channel"

#define ROW(operator, letters, function) \
    OPERATOR(operator, letters, pointwise, CHECKS(ELEMENTWISE), .real = real_##function)
#define ROW_BOTH(operator, letters, function) \
    OPERATOR(operator, letters, pointwise, CHECKS(ELEMENTWISE), .real = real_##function, \
     .whole = whole_##function)

const struct operator_row specialRows[] = {
    ROW("LogAddExp", "TTT", log_add_exp),
    ROW("LogAddExp2", "TTT", log_add_exp2),
    ROW("XLogYTensor", "TTT", xlogy),
    ROW("XLogYScalarSelf", "STT", xlogy),
    ROW("XLogYScalarOther", "TST", xlogy),
    ROW("InplaceXLogYScalarOther", "=TS", xlogy),
    ROW("Erfinv", "TT", erfinv),
    ROW("InplaceErfinv", "=T", erfinv),
    ROW("RoundDecimals", "TnT", round_decimals),
    ROW("InplaceRoundDecimals", "=Tn", round_decimals),
    ROW_BOTH("Threshold", "TSST", threshold),
    ROW_BOTH("InplaceThreshold", "=TSS", threshold),
    ROW("Softshrink", "TST", softshrink),
    ROW("SoftshrinkBackward", "TTST", shrink_backward),
    ROW("Hardshrink", "TST", hardshrink),
    ROW("HardshrinkBackward", "TTST", shrink_backward),
    ROW("AngleV2", "TT", angle),
    ROW("InplaceNanToNum", "=Tfff", nan_to_num),
    ROW_BOTH("Gcd", "TTT", gcd),
    ROW_BOTH("InplaceClampMinTensor", "=TT", clamp_min),
    ROW_BOTH("InplaceClampMaxTensor", "=TT", clamp_max),
    ROW_BOTH("LeftShifts", "TST", shift_left),
    ROW("LogitGrad", "TTdT", logit_backward),
    OPERATOR("IsClose", "TTddbT", isClose, CHECKS(ELEMENTWISE)),
    OPERATOR("Prelu", "TTT", prelu, CHECKS(FITS(slopesFit, SLOPES), AS_MANY(2, 0))),
    OPERATOR("PreluBackward", "TTTTT", preluBackward, CHECKS(FITS(slopesFit, SLOPES), AS_MANY(0, 1), AS_MANY(3, 1))),
    OPERATOR("LogSpace", "SSndT", logSpace, CHECKS(COUNTED(4, 2))),
    {0},
};
