/* Arithmetic and functions of one number, element by element. */
#include <math.h>

#include "operator.h"

/* The same on real numbers and on integers, which wrap around. */
#define BOTH(name, value) \
    REAL(name, value) \
    static int64_t whole_##name(int64_t one, int64_t two, int64_t three, int64_t four) \
    { \
        const uint64_t a = (uint64_t)one, b = (uint64_t)two, c = (uint64_t)three, d = (uint64_t)four; \
        (void)a, (void)b, (void)c, (void)d; \
        return (int64_t)(value); \
    }

BOTH(add, a + c * b)
BOTH(sub, a - c * b)
BOTH(rsub, b - c * a)
BOTH(mul, a * b)
BOTH(neg, -a)
BOTH(addcmul, a + d * b * c)
REAL(addcdiv, a + d * b / c)
REAL(div, a / b)
REAL(reciprocal, 1 / a)
REAL(abs, fabs(a))
WHOLE(abs, a < 0 ? (int64_t)-(uint64_t)a : a)
REAL(sign, a > 0 ? 1 : a < 0 ? -1 : a)
WHOLE(sign, (a > 0) - (a < 0))
REAL(square, a * a)
REAL(rsqrt, 1 / sqrt(a))
REAL(round, nearbyint(a))
REAL(frac, a - trunc(a))
REAL(sigmoid, 1 / (1 + exp(-a)))
REAL(sinc, a == 0 ? 1 : sin(M_PI * a) / (M_PI * a))
REAL(lerp, a + c * (b - a))
REAL(maximum, a != a || b != b ? NAN : a > b ? a : b)
REAL(minimum, a != a || b != b ? NAN : a < b ? a : b)
WHOLE(maximum, a > b ? a : b)
WHOLE(minimum, a < b ? a : b)
REAL(floor_divide, floor(a / b))
WHOLE(floor_divide, wholeQuotient(a, b) - (wholeRest(a, b) != 0 && (a < 0) != (b < 0)))
REAL(remainder, fmod(a, b) != 0 && (fmod(a, b) < 0) != (b < 0) ? fmod(a, b) + b : fmod(a, b))
WHOLE(remainder, wholeRest(a, b) + (wholeRest(a, b) != 0 && (a < 0) != (b < 0) ? b : 0))
REAL(fmod, fmod(a, b))
WHOLE(fmod, wholeRest(a, b))
REAL(pow, pow(a, b))
REAL(atan2, atan2(a, b))
REAL(where, a != 0 ? b : c)
WHOLE(where, a != 0 ? b : c)
REAL(masked_fill, b != 0 ? c : a)
WHOLE(masked_fill, b != 0 ? c : a)
REAL(fill, b)
WHOLE(fill, b)
REAL(zero, 0)
REAL(one, 1)
REAL(same, a)
WHOLE(same, a)
REAL(nan_to_num, a != a ? b : isinf(a) ? (a > 0 ? c : d) : a)

static int64_t whole_pow(int64_t base, int64_t exponent, int64_t c, int64_t d)
{
    (void)c, (void)d;
    if (exponent < 0) {
        return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    }
    uint64_t result = 1, factor = (uint64_t)base;
    for (; exponent > 0; exponent >>= 1, factor *= factor) {
        result *= exponent & 1 ? factor : 1;
    }
    return (int64_t)result;
}

/* aclnnDivMod: the mode is 0 for a plain quotient, 1 for truncation, 2 for the floor. */
static double real_div_mode(double a, double b, double mode, double d)
{
    (void)d;
    return mode == 1 ? trunc(a / b) : mode == 2 ? floor(a / b) : a / b;
}

static int64_t whole_div_mode(int64_t a, int64_t b, int64_t mode, int64_t d)
{
    return mode == 2 ? whole_floor_divide(a, b, 0, d) : wholeQuotient(a, b);
}

#define FUNCTION(name) REAL(name, name(a))
FUNCTION(acos) FUNCTION(acosh) FUNCTION(asin) FUNCTION(asinh) FUNCTION(atan) FUNCTION(atanh) FUNCTION(ceil) FUNCTION(cos)
FUNCTION(cosh) FUNCTION(erf) FUNCTION(erfc) FUNCTION(exp) FUNCTION(exp2) FUNCTION(expm1) FUNCTION(floor) FUNCTION(log)
FUNCTION(log10) FUNCTION(log1p) FUNCTION(log2) FUNCTION(sin) FUNCTION(sinh) FUNCTION(sqrt) FUNCTION(tan) FUNCTION(tanh)
FUNCTION(trunc) FUNCTION(lgamma)

/* Dense operands are read where they are; others are made dense first, one after the other. */
static uint64_t denseNeed(const struct plan *plan)
{
    uint64_t need = 0;
    for (int i = 0; i + (plan->row->arguments[0] != '=') < plan->count; i++) {
        const struct aclTensor *operand = &plan->operands[i];
        uint64_t bytes = (uint64_t)operandCount(operand) * elementBytes(operand->type);
        need += operandIsDense(operand) ? 0 : (bytes + 511) / 512 * 512;
    }
    return need;
}

/* aclnnCast: the result's type as it is named. */
static bool castFits(const struct plan *plan)
{
    return plan->operands[1].type == integerAt(plan, 1);
}

#define ROW(operator, letters, function) \
    OPERATOR(operator, letters, pointwise, CHECKS(ELEMENTWISE), .need = denseNeed, .real = real_##function)
#define ROW_BOTH(operator, letters, function) \
    OPERATOR(operator, letters, pointwise, CHECKS(ELEMENTWISE), .need = denseNeed, \
     .real = real_##function, .whole = whole_##function)
/* An operator of one tensor and its form in place. */
#define TWICE(name, function) ROW(#name, "TT", function), ROW("Inplace" #name, "=T", function)
#define TWICE_BOTH(name, function) ROW_BOTH(#name, "TT", function), ROW_BOTH("Inplace" #name, "=T", function)

const struct operator_row pointwiseRows[] = {
    ROW_BOTH("Add", "TTST", add),
    ROW_BOTH("InplaceAdd", "=TTS", add),
    ROW_BOTH("Adds", "TSST", add),
    ROW_BOTH("InplaceAdds", "=TSS", add),
    ROW_BOTH("Sub", "TTST", sub),
    ROW_BOTH("InplaceSub", "=TTS", sub),
    ROW_BOTH("Subs", "TSST", sub),
    ROW_BOTH("InplaceSubs", "=TSS", sub),
    ROW_BOTH("Rsub", "TTST", rsub),
    ROW_BOTH("Rsubs", "TSST", rsub),
    ROW_BOTH("Mul", "TTT", mul),
    ROW_BOTH("InplaceMul", "=TT", mul),
    ROW_BOTH("Muls", "TST", mul),
    ROW_BOTH("InplaceMuls", "=TS", mul),
    ROW("Div", "TTT", div),
    ROW("InplaceDiv", "=TT", div),
    ROW("Divs", "TST", div),
    ROW("InplaceDivs", "=TS", div),
    ROW_BOTH("DivMod", "TTmT", div_mode),
    ROW_BOTH("InplaceDivMod", "=TTm", div_mode),
    ROW_BOTH("DivMods", "TSmT", div_mode),
    ROW_BOTH("InplaceDivMods", "=TSm", div_mode),
    ROW_BOTH("FloorDivide", "TTT", floor_divide),
    ROW_BOTH("InplaceFloorDivide", "=TT", floor_divide),
    ROW_BOTH("FloorDivides", "TST", floor_divide),
    ROW_BOTH("InplaceFloorDivides", "=TS", floor_divide),
    ROW_BOTH("RemainderTensorTensor", "TTT", remainder),
    ROW_BOTH("RemainderTensorScalar", "TST", remainder),
    ROW_BOTH("RemainderScalarTensor", "STT", remainder),
    ROW_BOTH("InplaceRemainderTensorTensor", "=TT", remainder),
    ROW_BOTH("InplaceRemainderTensorScalar", "=TS", remainder),
    ROW_BOTH("FmodTensor", "TTT", fmod),
    ROW_BOTH("FmodScalar", "TST", fmod),
    ROW_BOTH("InplaceFmodTensor", "=TT", fmod),
    ROW_BOTH("InplaceFmodScalar", "=TS", fmod),
    ROW_BOTH("PowTensorTensor", "TTT", pow),
    ROW_BOTH("PowTensorScalar", "TST", pow),
    ROW_BOTH("PowScalarTensor", "STT", pow),
    ROW_BOTH("InplacePowTensorTensor", "=TT", pow),
    ROW_BOTH("InplacePowTensorScalar", "=TS", pow),
    ROW_BOTH("Maximum", "TTT", maximum),
    ROW_BOTH("Minimum", "TTT", minimum),
    ROW("Atan2", "TTT", atan2),
    ROW("InplaceAtan2", "=TT", atan2),
    ROW_BOTH("Addcmul", "TTTST", addcmul),
    ROW_BOTH("InplaceAddcmul", "=TTTS", addcmul),
    ROW("Addcdiv", "TTTST", addcdiv),
    ROW("InplaceAddcdiv", "=TTTS", addcdiv),
    ROW("Lerp", "TTTT", lerp),
    ROW("InplaceLerp", "=TTT", lerp),
    ROW("Lerps", "TTST", lerp),
    ROW("InplaceLerps", "=TTS", lerp),
    ROW_BOTH("SWhere", "TTTT", where),
    ROW_BOTH("InplaceMaskedFillScalar", "=TTS", masked_fill),
    ROW_BOTH("InplaceMaskedFillTensor", "=TTT", masked_fill),
    ROW_BOTH("InplaceFillScalar", "=TS", fill),
    ROW_BOTH("InplaceFillTensor", "=TT", fill),
    ROW("InplaceZero", "=T", zero),
    ROW("InplaceOne", "=T", one),
    ROW_BOTH("InplaceCopy", "=TT", fill),
    OPERATOR("Cast", "TeT", pointwise, CHECKS(SAME(2, 0), FITS(castFits, "argument 2 is not the type of the result")), .real = real_same, .whole = whole_same),
    ROW("NanToNum", "TfffT", nan_to_num),
    TWICE_BOTH(Neg, neg),
    TWICE_BOTH(Abs, abs),
    TWICE_BOTH(Sign, sign),
    TWICE(Reciprocal, reciprocal),
    TWICE(Square, square),
    TWICE(Rsqrt, rsqrt),
    TWICE(Round, round),
    TWICE(Frac, frac),
    TWICE(Sigmoid, sigmoid),
    TWICE(Sinc, sinc),
    TWICE(Acos, acos),
    TWICE(Acosh, acosh),
    TWICE(Asin, asin),
    TWICE(Asinh, asinh),
    TWICE(Atan, atan),
    TWICE(Atanh, atanh),
    TWICE(Ceil, ceil),
    TWICE(Cos, cos),
    TWICE(Cosh, cosh),
    TWICE(Erf, erf),
    TWICE(Erfc, erfc),
    TWICE(Exp, exp),
    TWICE(Exp2, exp2),
    TWICE(Expm1, expm1),
    TWICE(Floor, floor),
    TWICE(Log, log),
    TWICE(Log10, log10),
    TWICE(Log1p, log1p),
    TWICE(Log2, log2),
    TWICE(Sin, sin),
    TWICE(Sinh, sinh),
    TWICE(Sqrt, sqrt),
    TWICE(Tan, tan),
    TWICE(Tanh, tanh),
    TWICE(Trunc, trunc),
    ROW("Lgamma", "TT", lgamma),
    {0},
};
