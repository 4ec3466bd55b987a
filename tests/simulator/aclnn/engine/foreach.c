/* Operators on lists of tensors: each tensor of the first list, with its neighbors in the others, element by element. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operator.h"

REAL(add_scaled, a + c * b)
WHOLE(add_scaled, (int64_t)((uint64_t)a + (uint64_t)c * (uint64_t)b))
REAL(sub_scaled, a - c * b)
WHOLE(sub_scaled, (int64_t)((uint64_t)a - (uint64_t)c * (uint64_t)b))
REAL(add, a + b)
WHOLE(add, (int64_t)((uint64_t)a + (uint64_t)b))
REAL(sub, a - b)
WHOLE(sub, (int64_t)((uint64_t)a - (uint64_t)b))
REAL(mul, a * b)
WHOLE(mul, (int64_t)((uint64_t)a * (uint64_t)b))
REAL(div, a / b)
REAL(addcmul, a + d * b * c)
REAL(addcdiv, a + d * b / c)
REAL(lerp, a + c * (b - a))
REAL(maximum, a != a || b != b ? NAN : a > b ? a : b)
REAL(minimum, a != a || b != b ? NAN : a < b ? a : b)
REAL(pow, pow(a, b))
REAL(neg, -a)
REAL(abs, fabs(a))
REAL(reciprocal, 1 / a)
REAL(sign, (a > 0) - (a < 0))
REAL(sigmoid, 1 / (1 + exp(-a)))
REAL(zero, 0)
REAL(same, a)
WHOLE(same, a)

#define FUNCTION(name) REAL(name, name(a))
FUNCTION(acos) FUNCTION(asin) FUNCTION(atan) FUNCTION(cos) FUNCTION(cosh) FUNCTION(erf) FUNCTION(erfc) FUNCTION(exp)
FUNCTION(expm1) FUNCTION(log) FUNCTION(log10) FUNCTION(log1p) FUNCTION(log2) FUNCTION(sin) FUNCTION(sinh) FUNCTION(sqrt)
FUNCTION(tan) FUNCTION(tanh)

/* The arguments of one tensor's part: a list gives its tensor, a list of scalars its scalar, everything else itself. */
static aclError one(const struct plan *plan, int index)
{
    struct plan *part = aclsimPlan(plan->arguments_count, 0);
    aclError code = NO_ROOM;
    if (part != NULL) {
        int operand = 0;
        part->row = plan->row;
        part->arguments_count = plan->arguments_count;
        memcpy(part->arguments, plan->arguments, sizeof part->arguments);
        for (int i = 0; i < plan->arguments_count; i++) {
            struct argument *argument = &part->arguments[i];
            if (argument->kind == 'Z') {
                argument->kind = 'S';
                argument->number = plan->reals[argument->first + index];
                argument->integer = plan->integers[argument->first + index];
                argument->is_whole = argument->number == (double)argument->integer;
            } else if (argument->count > 0 && strchr("LT", argument->kind) != NULL) {
                part->operands[operand] = plan->operands[argument->first + (argument->kind == 'L' ? index : 0)];
                argument->kind = 'T';
                argument->first = operand++;
                argument->count = 1;
            }
        }
        part->count = operand;
        code = pointwise(part);
        free(part);
    }
    return code;
}

static aclError foreach(const struct plan *plan)
{
    int lists = argumentAt(plan, 0)->kind == 'L' ? countAt(plan, 0) : countAt(plan, 1);
    aclError code = ACL_SUCCESS;
    for (int i = 0; i < lists && code == ACL_SUCCESS; i++) {
        code = one(plan, i);
    }
    return code;
}

/* list, order, list of results with one element each */
static aclError norms(const struct plan *plan)
{
    aclError code = ACL_SUCCESS;
    double order = numberAt(plan, 1);
    for (int i = 0; i < countAt(plan, 0) && code == ACL_SUCCESS; i++) {
        const struct aclTensor *in = listedAt(plan, 0, i);
        double *values = realsOf(in), sum = 0;
        for (int64_t at = 0; values != NULL && at < operandCount(in); at++) {
            double size = fabs(values[at]);
            sum = isinf(order) ? fmax(sum, size) : sum + (order == 2 ? size * size : order == 1 ? size : pow(size, order));
        }
        sum = isinf(order) || order == 1 ? sum : order == 2 ? sqrt(sum) : pow(sum, 1 / order);
        code = values == NULL ? UNMAPPED : storeReals(listedAt(plan, 2, i), &sum);
        free(values);
    }
    return code;
}

/* gradients in place, whether one is not finite, what to multiply them with */
static aclError unscale(const struct plan *plan)
{
    double *scale = realsOf(tensorAt(plan, 2)), *found = realsOf(tensorAt(plan, 1));
    aclError code = scale == NULL || found == NULL ? UNMAPPED : ACL_SUCCESS;
    for (int i = 0; i < countAt(plan, 0) && code == ACL_SUCCESS; i++) {
        const struct aclTensor *gradient = listedAt(plan, 0, i);
        double *values = realsOf(gradient);
        for (int64_t at = 0; values != NULL && at < operandCount(gradient); at++) {
            found[0] = isfinite(values[at]) ? found[0] : 1;
            values[at] *= scale[0];
        }
        code = values == NULL ? UNMAPPED : storeReals(gradient, values);
        free(values);
    }
    code = code == ACL_SUCCESS ? storeReals(tensorAt(plan, 1), found) : code;
    free(scale);
    free(found);
    return code;
}

/* scale, successful steps, whether anything overflowed, factors up and down, steps before the scale grows, new scale, new steps */
static aclError updateScale(const struct plan *plan)
{
    double *scale = realsOf(tensorAt(plan, 0)), *overflowed = realsOf(tensorAt(plan, 2));
    int64_t *steps = integersOf(tensorAt(plan, 1));
    aclError code = UNMAPPED;
    if (scale && overflowed && steps) {
        steps[0] = (int64_t)((uint64_t)steps[0] + 1);
        if (overflowed[0] != 0) {
            scale[0] *= numberAt(plan, 4);
            steps[0] = 0;
        } else if (steps[0] == integerAt(plan, 5)) {
            double grown = (double)(float)(scale[0] * numberAt(plan, 3));
            scale[0] = isfinite(grown) ? grown : scale[0];
            steps[0] = 0;
        }
        code = storeReals(tensorAt(plan, 6), scale);
        code = code == ACL_SUCCESS ? storeIntegers(tensorAt(plan, 7), steps) : code;
    }
    free(scale);
    free(overflowed);
    free(steps);
    return code;
}

/* Lists have one length; each tensor broadcasts to the result's at its place. */
static bool listsFit(const struct plan *plan)
{
    int last = plan->row->arguments[0] == '=' ? 0 : plan->arguments_count - 1, count = countAt(plan, last);
    for (int i = 0; i < plan->arguments_count; i++) {
        char kind = argumentAt(plan, i)->kind;
        if ((kind == 'L' || kind == 'Z') && countAt(plan, i) != count) {
            return refuse("argument %d has %d elements, the result %d", i + 1, countAt(plan, i), count);
        }
        for (int at = 0; (kind == 'L' || kind == 'T') && at < count; at++) {
            const struct aclTensor *one = listedAt(plan, i, kind == 'L' ? at : 0), *out = listedAt(plan, last, at);
            if (!operandSpreads(one, out)) {
                return refuse("argument %d has the shape %s at %d, which does not broadcast to %s", i + 1, shapeText(one), at, shapeText(out));
            }
        }
    }
    return true;
}

#define ROW(operator, letters, function) OPERATOR(operator, letters, foreach, CHECKS(FITS(listsFit, "the lists do not fit together")), .real = real_##function)
#define ROW_BOTH(operator, letters, function) \
    OPERATOR(operator, letters, foreach, CHECKS(FITS(listsFit, "the lists do not fit together")), .real = real_##function, .whole = whole_##function)
#define UNARY(name, function) ROW("Foreach" #name, "LL", function)
/* With one scalar in a tensor, as a scalar, and with one for each tensor. */
#define WITH_SCALAR(name, function) \
    ROW("Foreach" name "Scalar", "LTL", function), ROW("Foreach" name "ScalarV2", "LSL", function), \
        ROW("Foreach" name "ScalarList", "LZL", function)

const struct operator_row foreachRows[] = {
    ROW_BOTH("ForeachAddListV2", "LLSL", add_scaled),
    ROW_BOTH("ForeachAddList", "LLTL", add_scaled),
    ROW_BOTH("ForeachSubListV2", "LLSL", sub_scaled),
    ROW_BOTH("ForeachSubList", "LLTL", sub_scaled),
    ROW_BOTH("ForeachMulList", "LLL", mul),
    ROW("ForeachDivList", "LLL", div),
    ROW("ForeachMaximumList", "LLL", maximum),
    ROW("ForeachMinimumList", "LLL", minimum),
    ROW("ForeachPowList", "LLL", pow),
    ROW("ForeachLerpList", "LLLL", lerp),
    ROW("ForeachLerpScalar", "LLSL", lerp),
    ROW_BOTH("ForeachAddScalar", "LTL", add),
    ROW_BOTH("ForeachAddScalarV2", "LSL", add),
    ROW_BOTH("ForeachAddScalarList", "LZL", add),
    ROW_BOTH("ForeachSubScalar", "LTL", sub),
    ROW_BOTH("ForeachSubScalarV2", "LSL", sub),
    ROW_BOTH("ForeachSubScalarList", "LZL", sub),
    ROW_BOTH("ForeachMulScalar", "LTL", mul),
    ROW_BOTH("ForeachMulScalarV2", "LSL", mul),
    ROW_BOTH("ForeachMulScalarList", "LZL", mul),
    WITH_SCALAR("Div", div),
    WITH_SCALAR("Maximum", maximum),
    WITH_SCALAR("Minimum", minimum),
    WITH_SCALAR("Pow", pow),
    ROW("ForeachPowScalarAndTensor", "SLL", pow),
    ROW("ForeachAddcmulScalar", "LLLTL", addcmul),
    ROW("ForeachAddcmulScalarV2", "LLLSL", addcmul),
    ROW("ForeachAddcmulScalarList", "LLLZL", addcmul),
    ROW("ForeachAddcdivScalar", "LLLTL", addcdiv),
    ROW("ForeachAddcdivScalarV2", "LLLSL", addcdiv),
    UNARY(Neg, neg),
    UNARY(Abs, abs),
    UNARY(Reciprocal, reciprocal),
    UNARY(Sign, sign),
    UNARY(Sigmoid, sigmoid),
    UNARY(Sqrt, sqrt),
    UNARY(Exp, exp),
    UNARY(Expm1, expm1),
    UNARY(Log, log),
    UNARY(Log10, log10),
    UNARY(Log1p, log1p),
    UNARY(Log2, log2),
    UNARY(Sin, sin),
    UNARY(Cos, cos),
    UNARY(Tan, tan),
    UNARY(Asin, asin),
    UNARY(Acos, acos),
    UNARY(Atan, atan),
    UNARY(Sinh, sinh),
    UNARY(Cosh, cosh),
    UNARY(Tanh, tanh),
    UNARY(Erf, erf),
    UNARY(Erfc, erfc),
    ROW_BOTH("ForeachCopy", "LL", same),
    ROW("ForeachZeroInplace", "=L", zero),
    OPERATOR("ForeachNorm", "LSL", norms, CHECKS(AS_LONG(2, 0), SINGLE(2))),
    OPERATOR("ForeachNonFiniteCheckAndUnscale", "LTT", unscale, CHECKS(SINGLE(1), SINGLE(2))),
    OPERATOR("AmpUpdateScale", "TTTddnTT", updateScale, CHECKS(SINGLE(0), SINGLE(1), SINGLE(2), SINGLE(6), SINGLE(7))),
    {0},
};
