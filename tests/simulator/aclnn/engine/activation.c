/* Activations and their gradients, element by element. Gradients begin with that of the result. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

static double sigmoid(double value)
{
    return 1 / (1 + exp(-value));
}

static double normalCdf(double value)
{
    return 0.5 * (1 + erf(value * M_SQRT1_2));
}

static double softplus(double value)
{
    return value > 30 ? value : log1p(exp(value));
}

/* A bound that is not a number bounds nothing, so that either of a clamp's may be absent. */
static double clamped(double value, double low, double high)
{
    value = value < low ? low : value;
    return value > high ? high : value;
}

REAL(relu, a > 0 || a != a ? a : 0)
REAL(threshold_backward, b > c ? a : 0)
REAL(leaky_relu, a > 0 ? a : a * b)
REAL(silu, a * sigmoid(a))
REAL(silu_backward, a *sigmoid(b) * (1 + b * (1 - sigmoid(b))))
REAL(gelu, a *normalCdf(a))
REAL(gelu_backward, a *(normalCdf(b) + b * exp(-0.5 * b * b) / sqrt(2 * M_PI)))
REAL(sigmoid_backward, a * b * (1 - b))
REAL(tanh_backward, a * (1 - b * b))
REAL(hardsigmoid, clamped(a / 6 + 0.5, 0, 1))
REAL(hardswish, a *clamped(a / 6 + 0.5, 0, 1))
REAL(hardswish_backward, b < -3 ? 0 : b > 3 ? a : a * (b / 3 + 0.5))
REAL(mish, a *tanh(softplus(a)))
REAL(hardtanh, clamped(a, b, c))
REAL(hardtanh_backward, b <= c || b >= d ? 0 : a)
REAL(softplus, a *b > c ? a : log1p(exp(a * b)) / b)
REAL(softplus_backward, b *c > d ? a : a * sigmoid(b * c))
REAL(elu, a > 0 ? a * c : b * c * expm1(a * d))
REAL(leaky_relu_backward, b > 0 ? a : a * c)
REAL(hardsigmoid_backward, b > -3 && b < 3 ? a / 6 : 0)
REAL(mish_backward, a *(tanh(softplus(b)) + b * (1 - tanh(softplus(b)) * tanh(softplus(b))) * sigmoid(b)))
REAL(celu, a > 0 ? a : b * expm1(a / b))
REAL(selu, 1.0507009873554805 * (a > 0 ? a : 1.6732632423543772 * expm1(a)))
REAL(logit, log((b >= 0 ? clamped(a, b, 1 - b) : a) / (1 - (b >= 0 ? clamped(a, b, 1 - b) : a))))
REAL(clamp_min, a < b ? b : a)
REAL(clamp_max, a > b ? b : a)

static double tanhInner(double value)
{
    return sqrt(2 / M_PI) * (value + 0.044715 * value * value * value);
}

/* The form of GELU that the text names: "tanh", or the exact one. */
static double real_gelu_tanh(double a, double b, double c, double d)
{
    (void)b, (void)c, (void)d;
    return 0.5 * a * (1 + tanh(tanhInner(a)));
}

static double real_gelu_tanh_backward(double a, double b, double c, double d)
{
    (void)c, (void)d;
    double inner = tanh(tanhInner(b)), slope = sqrt(2 / M_PI) * (1 + 3 * 0.044715 * b * b);
    return a * (0.5 * (1 + inner) + 0.5 * b * (1 - inner * inner) * slope);
}

static aclError geluV2(const struct plan *plan)
{
    struct operator_row row = *plan->row;
    struct plan *own = (struct plan *)plan;
    bool is_backward = plan->count == 3;
    int form = is_backward ? 2 : 1;
    /* The first form's number is 0 where it is passed as one, and "none" where it is text. */
    bool is_tanh = (char)integerAt(plan, form) == 't' || integerAt(plan, form) == 1;
    if (is_tanh) {
        row.real = is_backward ? real_gelu_tanh_backward : real_gelu_tanh;
    }
    /* A graph runs a plan again: it stays as it was. */
    const struct operator_row *whole = plan->row;
    own->row = &row;
    aclError code = pointwise(own);
    own->row = whole;
    return code;
}

static aclError clamp(const struct plan *plan)
{
    struct plan *own = (struct plan *)plan;
    for (int bound = 1; bound <= 2; bound++) {
        if (plan->arguments[bound].is_absent) {
            own->arguments[bound].number = NAN;
            own->arguments[bound].integer = bound == 1 ? INT64_MIN : INT64_MAX;
            own->arguments[bound].is_whole = true;
        }
    }
    return pointwise(own);
}

static int64_t whole_clamp(int64_t a, int64_t b, int64_t c, int64_t d)
{
    (void)d;
    a = a < b ? b : a;
    return a > c ? c : a;
}

/* gradient, alpha, scale, scale of the input, whether the tensor is the result, tensor, result */
static aclError eluGradient(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 6);
    double alpha = numberAt(plan, 1), scale = numberAt(plan, 2), inner = numberAt(plan, 3), *up = realsOf(tensorAt(plan, 0));
    double *values = realsOf(tensorAt(plan, 5));
    bool is_result = integerAt(plan, 4) != 0;
    for (int64_t i = 0; up && values && i < operandCount(out); i++) {
        double value = values[i], below = is_result ? inner * (value + alpha * scale) : alpha * scale * inner * exp(value * inner);
        up[i] *= value > 0 ? scale : below;
    }
    aclError code = up && values ? storeReals(out, up) : UNMAPPED;
    free(up);
    free(values);
    return code;
}

static double real_log_sigmoid(double a, double b, double c, double d);

/* tensor, result, a buffer that only the gradient of other devices reads */
static aclError logSigmoidForward(const struct plan *plan)
{
    double *values = realsOf(tensorAt(plan, 0));
    for (int64_t i = 0; values && i < operandCount(tensorAt(plan, 0)); i++) {
        values[i] = real_log_sigmoid(values[i], 0, 0, 0);
    }
    aclError code = values ? storeReals(tensorAt(plan, 1), values) : UNMAPPED;
    free(values);
    return code;
}

/* gradient, tensor, a buffer that is not read, result */
static aclError logSigmoidBackward(const struct plan *plan)
{
    double *up = realsOf(tensorAt(plan, 0)), *values = realsOf(tensorAt(plan, 1));
    for (int64_t i = 0; up && values && i < operandCount(tensorAt(plan, 1)); i++) {
        up[i] *= sigmoid(-values[i]);
    }
    aclError code = up && values ? storeReals(tensorAt(plan, 3), up) : UNMAPPED;
    free(up);
    free(values);
    return code;
}

static int64_t whole_relu(int64_t a, int64_t b, int64_t c, int64_t d)
{
    (void)b, (void)c, (void)d;
    return a > 0 ? a : 0;
}

static int64_t whole_clamp_min(int64_t a, int64_t b, int64_t c, int64_t d)
{
    (void)c, (void)d;
    return a < b ? b : a;
}

static int64_t whole_clamp_max(int64_t a, int64_t b, int64_t c, int64_t d)
{
    (void)c, (void)d;
    return a > b ? b : a;
}

static double real_log_sigmoid(double a, double b, double c, double d)
{
    (void)b, (void)c, (void)d;
    return a < 0 ? a - log1p(exp(a)) : -log1p(exp(-a));
}

#define ROW(operator, letters, function) \
    OPERATOR(operator, letters, pointwise, CHECKS(ELEMENTWISE), .real = real_##function)
#define ROW_BOTH(operator, letters, function) \
    OPERATOR(operator, letters, pointwise, CHECKS(ELEMENTWISE), .real = real_##function, \
     .whole = whole_##function)
#define CLAMP(operator, letters) \
    OPERATOR(operator, letters, clamp, CHECKS(ELEMENTWISE), .real = real_hardtanh, .whole = whole_clamp)

const struct operator_row activationRows[] = {
    ROW_BOTH("Relu", "TT", relu),
    ROW_BOTH("InplaceRelu", "=T", relu),
    ROW("ThresholdBackward", "TTST", threshold_backward),
    ROW("LeakyRelu", "TST", leaky_relu),
    ROW("InplaceLeakyRelu", "=TS", leaky_relu),
    ROW("Silu", "TT", silu),
    ROW("SiluBackward", "TTT", silu_backward),
    ROW("Gelu", "TT", gelu),
    ROW("GeluBackward", "TTT", gelu_backward),
    OPERATOR("GeluV2", "TmT", geluV2, CHECKS(ELEMENTWISE), .real = real_gelu),
    OPERATOR("GeluBackwardV2", "TTqT", geluV2, CHECKS(ELEMENTWISE), .real = real_gelu_backward),
    ROW("SigmoidBackward", "TTT", sigmoid_backward),
    ROW("TanhBackward", "TTT", tanh_backward),
    ROW("Hardsigmoid", "TT", hardsigmoid),
    ROW("InplaceHardsigmoid", "=T", hardsigmoid),
    ROW("Hardswish", "TT", hardswish),
    ROW("InplaceHardswish", "=T", hardswish),
    ROW("HardswishBackward", "TTT", hardswish_backward),
    ROW("HardswishBackwardV2", "TTT", hardswish_backward),
    ROW("Mish", "TT", mish),
    ROW("InplaceMish", "=T", mish),
    ROW("Hardtanh", "TSST", hardtanh),
    ROW("InplaceHardtanh", "=TSS", hardtanh),
    ROW("HardtanhBackward", "TTSST", hardtanh_backward),
    ROW("Softplus", "TSST", softplus),
    ROW("SoftplusBackward", "TTSST", softplus_backward),
    ROW("Elu", "TSSST", elu),
    ROW("InplaceElu", "=TSSS", elu),
    ROW("LogSigmoid", "TT", log_sigmoid),
    ROW("LeakyReluBackward", "TTSbT", leaky_relu_backward),
    ROW("HardsigmoidBackward", "TTT", hardsigmoid_backward),
    ROW("MishBackward", "TTT", mish_backward),
    OPERATOR("LogSigmoidBackward", "TTtT", logSigmoidBackward, CHECKS(AS_MANY(0, 1), AS_MANY(3, 1))),
    ROW("Celu", "TST", celu),
    ROW("InplaceCelu", "=TS", celu),
    ROW("Selu", "TT", selu),
    ROW("InplaceSelu", "=T", selu),
    ROW("Logit", "TdT", logit),
    OPERATOR("EluBackward", "TSSSbTT", eluGradient, CHECKS(AS_MANY(0, 6), AS_MANY(5, 6))),
    OPERATOR("LogSigmoidForward", "TTt", logSigmoidForward, CHECKS(AS_MANY(1, 0))),
    CLAMP("Clamp", "TssT"),
    CLAMP("ClampTensor", "TttT"),
    ROW_BOTH("ClampMin", "TST", clamp_min),
    ROW_BOTH("ClampMax", "TST", clamp_max),
    ROW_BOTH("ClampMinTensor", "TTT", clamp_min),
    ROW_BOTH("ClampMaxTensor", "TTT", clamp_max),
    ROW_BOTH("InplaceClampMin", "=TS", clamp_min),
    ROW_BOTH("InplaceClampMax", "=TS", clamp_max),
    {0},
};
