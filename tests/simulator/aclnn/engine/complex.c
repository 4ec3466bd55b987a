/* Complex numbers: what moves them sees pairs of real ones, what computes element by element has a function of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operator.h"

enum { HALVED = 64 };

/* A complex tensor as one of real numbers with another axis of two. */
static struct aclTensor asPairs(const struct aclTensor *tensor)
{
    struct aclTensor pairs = *tensor;
    pairs.type = tensor->type == ACL_COMPLEX64 ? ACL_FLOAT : tensor->type == ACL_COMPLEX128 ? ACL_DOUBLE : ACL_FLOAT16;
    pairs.offset *= 2;
    for (int axis = 0; axis < tensor->rank; axis++) {
        pairs.strides[axis] *= 2;
    }
    pairs.dims[pairs.rank] = 2;
    pairs.strides[pairs.rank++] = 1;
    return pairs;
}

/* One of the two numbers of each element. */
static struct aclTensor half(const struct aclTensor *tensor, int which)
{
    struct aclTensor part = asPairs(tensor);
    part.rank--;
    part.offset += which;
    return part;
}

/* Runs what only moves or adds up elements twice, on real and on imaginary parts. */
static aclError onHalves(const struct plan *plan)
{
    struct plan *own = (struct plan *)plan;
    struct aclTensor whole[HALVED];
    double numbers[ARGUMENTS];
    aclError code = plan->count <= HALVED ? ACL_SUCCESS : UNMAPPED;
    for (int i = 0; i < plan->arguments_count; i++) {
        numbers[i] = plan->arguments[i].number;
    }
    for (int i = 0; code == ACL_SUCCESS && i < plan->count; i++) {
        whole[i] = plan->operands[i];
    }
    for (int which = 0; which < 2 && code == ACL_SUCCESS; which++) {
        for (int i = 0; i < plan->count; i++) {
            own->operands[i] = typeIsComplex(whole[i].type) ? half(&whole[i], which) : whole[i];
        }
        for (int i = 0; which == 1 && i < plan->arguments_count; i++) {
            own->arguments[i].number = plan->arguments[i].kind == 'S' ? plan->arguments[i].imaginary : numbers[i];
        }
        code = plan->row->compute(plan);
        /* A graph runs a plan again: it stays as it was. */
        for (int i = 0; i < plan->count; i++) {
            own->operands[i] = whole[i];
        }
    }
    for (int i = 0; i < plan->arguments_count; i++) {
        own->arguments[i].number = numbers[i];
    }
    return code;
}

#define VALUE(name, value) \
    static double complex complex_##name(double complex a, double complex b, double complex c, double complex d) \
    { \
        (void)a, (void)b, (void)c, (void)d; \
        return value; \
    }
VALUE(add, a + c * b)
VALUE(sub, a - c * b)
VALUE(rsub, b - c * a)
VALUE(mul, a *b)
VALUE(div, a / b)
VALUE(fill, b)
VALUE(same, a)
VALUE(neg, -a)
VALUE(sign, a == 0 ? 0 : a / cabs(a))
VALUE(abs, cabs(a))
VALUE(angle, carg(a))
VALUE(exp, cexp(a))
VALUE(reciprocal, 1 / a)
VALUE(square, a *a)
VALUE(sqrt, csqrt(a))
VALUE(zero, 0)
VALUE(one, 1)
VALUE(eq, a == b)
VALUE(ne, a != b)
VALUE(where, creal(a) != 0 ? b : c)
VALUE(masked_fill, creal(b) != 0 ? c : a)
VALUE(addcmul, a + d * b * c)
VALUE(addcdiv, a + d * b / c)
VALUE(real, creal(a))
VALUE(finite, isfinite(creal(a)) && isfinite(cimag(a)))

static const struct {
    const char *name;
    complex_function function;
} functions[] = {
    {"Add", complex_add}, {"InplaceAdd", complex_add}, {"Adds", complex_add}, {"InplaceAdds", complex_add},
    {"Sub", complex_sub}, {"InplaceSub", complex_sub}, {"Subs", complex_sub}, {"InplaceSubs", complex_sub},
    {"Rsub", complex_rsub}, {"Rsubs", complex_rsub},
    {"Mul", complex_mul}, {"InplaceMul", complex_mul}, {"Muls", complex_mul}, {"InplaceMuls", complex_mul},
    {"Div", complex_div}, {"InplaceDiv", complex_div}, {"Divs", complex_div}, {"InplaceDivs", complex_div},
    {"InplaceCopy", complex_fill}, {"InplaceFillScalar", complex_fill}, {"InplaceFillTensor", complex_fill}, {"Cast", complex_same},
    {"Sign", complex_sign}, {"InplaceSign", complex_sign}, {"Neg", complex_neg}, {"InplaceNeg", complex_neg}, {"Abs", complex_abs}, {"AngleV2", complex_angle}, {"Exp", complex_exp},
    {"Reciprocal", complex_reciprocal}, {"Square", complex_square}, {"Sqrt", complex_sqrt}, {"InplaceZero", complex_zero},
    {"InplaceOne", complex_one}, {"EqTensor", complex_eq}, {"EqScalar", complex_eq}, {"NeTensor", complex_ne}, {"NeScalar", complex_ne},
    {"SWhere", complex_where}, {"InplaceMaskedFillScalar", complex_masked_fill}, {"InplaceMaskedFillTensor", complex_masked_fill},
    {"Addcmul", complex_addcmul}, {"InplaceAddcmul", complex_addcmul}, {"Addcdiv", complex_addcdiv}, {"InplaceAddcdiv", complex_addcdiv},
    {"Real", complex_real}, {"IsFinite", complex_finite},
};

static complex_function functionOf(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return functions[i].function;
        }
    }
    return NULL;
}

/* All elements of an operand, broadcast to the result: two numbers each. */
static double *complexesOf(const struct aclTensor *tensor, const struct aclTensor *whole)
{
    int64_t count = operandCount(whole);
    double *values = calloc(2 * (size_t)count + 1, sizeof *values), *part = malloc(((size_t)count + 1) * sizeof *part);
    bool is_complex = typeIsComplex(tensor->type), is_ready = values && part;
    for (int which = 0; is_ready && which <= is_complex; which++) {
        struct aclTensor one = is_complex ? half(tensor, which) : *tensor;
        struct spread spread;
        is_ready = spreadOver(&spread, &one, whole->rank, whole->dims);
        if (is_ready) {
            takeReals(&spread, 0, count, part);
        }
        for (int64_t i = 0; is_ready && i < count; i++) {
            values[2 * i + which] = part[i];
        }
    }
    free(part);
    if (!is_ready) {
        free(values);
        return NULL;
    }
    return values;
}

static aclError storeComplexes(const struct aclTensor *tensor, double *values)
{
    int64_t count = operandCount(tensor);
    if (typeIsComplex(tensor->type)) {
        struct aclTensor pairs = asPairs(tensor);
        return storeReals(&pairs, values);
    }
    for (int64_t i = 0; i < count; i++) {
        values[i] = tensor->type == ACL_BOOL ? values[2 * i] != 0 || values[2 * i + 1] != 0 : values[2 * i];
    }
    return storeReals(tensor, values);
}

/* glibc before 2.36 has CMPLX for GCC alone, and a sum with I is not exact. A complex number has the layout of two real ones. */
static double complex fromParts(double real, double imaginary)
{
    double parts[2] = {real, imaginary};
    double complex number;
    memcpy(&number, parts, sizeof number);
    return number;
}

/* Arguments in order are the function's, as for real numbers. */
static aclError elementByElement(const struct plan *plan)
{
    bool is_in_place = plan->row->arguments[0] == '=';
    const struct aclTensor *out = is_in_place ? &plan->operands[0] : &plan->operands[plan->count - 1];
    complex_function function = functionOf(plan->row->name);
    int64_t count = operandCount(out);
    double *values[4] = {NULL}, *results = malloc((2 * (size_t)count + 1) * sizeof *results);
    double complex constants[4] = {0};
    bool is_ready = results != NULL && function != NULL && out->rank < RANK;
    for (int i = 0, input = 0; is_ready && i + !is_in_place < plan->arguments_count && input < 4; i++) {
        const struct argument *argument = argumentAt(plan, i);
        const struct aclTensor *tensor = tensorAt(plan, i);
        if (argument->kind == 'e') {
            continue;
        }
        constants[input] = fromParts(argument->is_whole ? (double)argument->integer : argument->number, argument->imaginary);
        values[input] = tensor ? complexesOf(tensor, out) : NULL;
        is_ready = !tensor || values[input] != NULL;
        input++;
    }
    for (int64_t i = 0; is_ready && i < count; i++) {
        double complex in[4];
        for (int input = 0; input < 4; input++) {
            in[input] = values[input] ? fromParts(values[input][2 * i], values[input][2 * i + 1]) : constants[input];
        }
        double complex result = function(in[0], in[1], in[2], in[3]);
        results[2 * i] = creal(result);
        results[2 * i + 1] = cimag(result);
    }
    aclError code = is_ready ? storeComplexes(out, results) : UNMAPPED;
    for (int input = 0; input < 4; input++) {
        free(values[input]);
    }
    free(results);
    return code;
}

/* real part and imaginary part, or (code 1) length and angle; result */
static aclError compose(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 2);
    int64_t count = operandCount(out);
    double *one = complexesOf(tensorAt(plan, 0), out), *other = complexesOf(tensorAt(plan, 1), out);
    for (int64_t i = 0; one && other && i < count; i++) {
        double first = one[2 * i], second = other[2 * i];
        one[2 * i] = plan->row->code == 1 ? first * cos(second) : first;
        one[2 * i + 1] = plan->row->code == 1 ? first * sin(second) : second;
    }
    aclError code = one && other ? storeComplexes(out, one) : UNMAPPED;
    free(one);
    free(other);
    return code;
}

aclError (*complexOf(const struct operator_row *row))(const struct plan *plan)
{
    static const char *const moved[] = {
        "Cat", "Stack", "ConstantPadNd", "Repeat", "Flip", "Roll", "Triu", "Tril", "InplaceTriu", "InplaceTril", "IndexSelect",
        "Gather", "Index", "IndexPutImpl", "ReduceSum", "Cumsum", "SplitWithSize", "SplitTensor", "IndexCopy", "InplaceIndexCopy", "Take",
    };
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        if (strcmp(row->name, moved[i]) == 0) {
            return onHalves;
        }
    }
    return row->compute == compose ? compose : functionOf(row->name) ? elementByElement : NULL;
}

const struct operator_row complexRows[] = {
    OPERATOR("Complex", "TTT", compose, CHECKS(ELEMENTWISE)),
    OPERATOR("Polar", "TTT", compose, CHECKS(ELEMENTWISE), .code = 1),
    {0},
};
