/* Gated halves, and what is one in a row of zeros. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

/* The two halves of a tensor along an axis, and the same of a result. */
static struct aclTensor half(const struct aclTensor *tensor, int axis, bool is_second)
{
    struct aclTensor part = *tensor;
    part.dims[axis] /= 2;
    part.offset += is_second ? part.dims[axis] * part.strides[axis] : 0;
    return part;
}

/* tensor, axis, result */
static aclError glu(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 2);
    int axis = axisOf(integerAt(plan, 1), in->rank);
    struct aclTensor first = half(in, axis, false), second = half(in, axis, true);
    double *values = realsOf(&first), *gates = realsOf(&second);
    for (int64_t i = 0; values && gates && i < operandCount(out); i++) {
        values[i] /= 1 + exp(-gates[i]);
    }
    aclError code = values && gates ? storeReals(out, values) : UNMAPPED;
    free(values);
    free(gates);
    return code;
}

/* gradient, tensor, axis, result */
static aclError gluGradient(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 1), *out = tensorAt(plan, 3);
    int axis = axisOf(integerAt(plan, 2), in->rank);
    struct aclTensor first = half(in, axis, false), second = half(in, axis, true);
    struct aclTensor to_first = half(out, axis, false), to_second = half(out, axis, true);
    double *up = realsOf(tensorAt(plan, 0)), *values = realsOf(&first), *gates = realsOf(&second);
    bool is_ready = up && values && gates;
    for (int64_t i = 0; is_ready && i < operandCount(&first); i++) {
        double gate = 1 / (1 + exp(-gates[i]));
        gates[i] = up[i] * values[i] * gate * (1 - gate);
        values[i] = up[i] * gate;
    }
    aclError code = is_ready ? storeReals(&to_first, values) : UNMAPPED;
    code = code == ACL_SUCCESS ? storeReals(&to_second, gates) : code;
    free(up);
    free(values);
    free(gates);
    return code;
}

/* numbers, how many, value on, value off, axis (the last one, or -1), result */
static aclError oneHot(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 5);
    int64_t classes = integerAt(plan, 1), *numbers = integersOf(tensorAt(plan, 0)), count = operandCount(out);
    double *on = realsOf(tensorAt(plan, 2)), *off = realsOf(tensorAt(plan, 3)), *values = malloc(((size_t)count + 1) * sizeof *values);
    bool is_ready = numbers && on && off && values;
    for (int64_t i = 0; is_ready && i < count; i++) {
        values[i] = numbers[i / classes] == i % classes ? on[0] : off[0];
    }
    aclError code = is_ready ? storeReals(out, values) : UNMAPPED;
    free(numbers);
    free(on);
    free(off);
    free(values);
    return code;
}

/* Axes other than the last would need the numbers spread. */
static bool oneHotFits(const struct plan *plan)
{
    int64_t axis = integerAt(plan, 4);
    const struct aclTensor *out = tensorAt(plan, 5);
    return (axis == -1 || axis == out->rank - 1) && operandCount(out) == operandCount(tensorAt(plan, 0)) * integerAt(plan, 1);
}

/* one, other, result: a single bool */
static aclError equal(const struct plan *plan)
{
    const struct aclTensor *one = tensorAt(plan, 0), *other = tensorAt(plan, 1);
    double *left = realsOf(one), *right = realsOf(other), is_same = operandSameShape(one, other);
    for (int64_t i = 0; left && right && is_same != 0 && i < operandCount(one); i++) {
        is_same = left[i] == right[i];
    }
    aclError code = left && right ? storeReals(tensorAt(plan, 2), &is_same) : UNMAPPED;
    free(left);
    free(right);
    return code;
}

/* numbers, weights or none, fewest classes, result */
static aclError countNumbers(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 3), *weight = tensorAt(plan, 1);
    int64_t *numbers = integersOf(tensorAt(plan, 0)), classes = operandCount(out);
    double *sums = calloc((size_t)classes + 1, sizeof *sums), *weights = weight ? realsOf(weight) : NULL;
    bool is_ready = numbers && sums && (!weight || weights);
    for (int64_t i = 0; is_ready && i < operandCount(tensorAt(plan, 0)); i++) {
        is_ready = numbers[i] >= 0 && numbers[i] < classes;
        sums[is_ready ? numbers[i] : 0] += weights ? weights[i] : 1;
    }
    aclError code = is_ready ? storeReals(out, sums) : UNMAPPED;
    free(numbers);
    free(sums);
    free(weights);
    return code;
}

/* The axis has two halves, of which the result, or the gradient that comes in, is one. */
static bool halvesFit(const struct plan *plan)
{
    bool is_backward = plan->row->compute == gluGradient;
    const struct aclTensor *in = tensorAt(plan, is_backward), *one = tensorAt(plan, is_backward ? 0 : 2);
    int64_t size = in->dims[axisOf(integerAt(plan, is_backward + 1), in->rank)];
    return size % 2 == 0 && operandCount(one) == operandCount(in) / 2;
}
#define HALVES "the axis is not even, or what goes with a half of it is not half as large"

#define ROW(operator, letters, function, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__))

const struct operator_row gatedRows[] = {
    ROW("Glu", "TnT", glu, RANKS(0, 1, RANK), AXIS(1, 0), FITS(halvesFit, HALVES)),
    ROW("GluBackward", "TTnT", gluGradient, RANKS(1, 1, RANK), AXIS(2, 1), SAME(3, 1), FITS(halvesFit, HALVES)),
    OPERATOR("OneHot", "TnTTnT", oneHot, CHECKS(INDEX(0), WITHIN(1, 0, INT32_MAX), SINGLE(2), SINGLE(3), FITS(oneHotFits, "argument 5 is not the last axis, or argument 6 has not a row for each number"))),
    ROW("Equal", "TTT", equal, SINGLE(2)),
    ROW("Bincount", "TtnT", countNumbers, INDEX(0), AS_MANY(1, 0)),
    {0},
};
