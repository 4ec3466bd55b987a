/* Operators that compute each element on its own: two operands with broadcasting, one operand, casts. */
#include <math.h>

#include "kernel.h"

static bool infer_two(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    (void)attributes;
    out->type = in[0].type;
    return in[0].type == in[1].type && broadcast_shape(&in[0].shape, &in[1].shape, &out->shape);
}

static bool infer_one(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    (void)attributes;
    out->type = in[0].type;
    out->shape = in[0].shape;
    return true;
}

static bool is_float(aclDataType type)
{
    return type == ACL_FLOAT || type == ACL_DOUBLE || type == ACL_FLOAT16 || type == ACL_BF16;
}

/* An integer divided by zero is whatever the device says; 0 here, never a trap of the host. */
static long double divide(const struct view *out, long double left, long double right)
{
    if (is_float(out->type))
        return left / right;
    return right == 0 ? 0 : truncl(left / right);
}

#define TWO_OPERANDS(function, expression)                                                                    \
    static void function(const struct view *in, int count, const aclopAttr *attributes, const struct view *out) \
    {                                                                                                         \
        (void)count;                                                                                          \
        (void)attributes;                                                                                     \
        for (int64_t i = 0; i < element_count(&out->shape); i++) {                                            \
            long double left = element_get(&in[0], broadcast_index(&in[0].shape, &out->shape, i));            \
            long double right = element_get(&in[1], broadcast_index(&in[1].shape, &out->shape, i));           \
            element_put(out, i, expression);                                                                  \
        }                                                                                                     \
    }

#define ONE_OPERAND(function, expression)                                                                     \
    static void function(const struct view *in, int count, const aclopAttr *attributes, const struct view *out) \
    {                                                                                                         \
        (void)count;                                                                                          \
        (void)attributes;                                                                                     \
        for (int64_t i = 0; i < element_count(&out->shape); i++) {                                            \
            long double value = element_get(&in[0], i);                                                       \
            element_put(out, i, expression);                                                                  \
        }                                                                                                     \
    }

TWO_OPERANDS(compute_add, left + right)
TWO_OPERANDS(compute_sub, left - right)
TWO_OPERANDS(compute_mul, left * right)
TWO_OPERANDS(compute_div, divide(out, left, right))
ONE_OPERAND(compute_relu, value > 0 ? value : 0)
ONE_OPERAND(compute_abs, fabsl(value))
ONE_OPERAND(compute_neg, -value)
ONE_OPERAND(compute_sqrt, sqrtl(value))
ONE_OPERAND(compute_exp, expl(value))
ONE_OPERAND(compute_log, logl(value))
ONE_OPERAND(compute_sigmoid, 1 / (1 + expl(-value)))
ONE_OPERAND(compute_tanh, tanhl(value))
ONE_OPERAND(compute_identity, value)

/* ONNX names the target type by its own numbers; a CANN caller says it with the output descriptor. */
static bool infer_cast(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    static const aclDataType onnx_types[] = {
        ACL_DT_UNDEFINED, ACL_FLOAT,  ACL_UINT8, ACL_INT8,    ACL_UINT16, ACL_INT16,  ACL_INT32,
        ACL_INT64,        ACL_STRING, ACL_BOOL,  ACL_FLOAT16, ACL_DOUBLE, ACL_UINT32, ACL_UINT64,
    };
    (void)count;
    int64_t to = attribute_integer(attributes, "to", -1);
    if (to >= 0) {
        if (to >= (int64_t)(sizeof onnx_types / sizeof *onnx_types))
            return false;
        out->type = onnx_types[to];
    }
    out->shape = in[0].shape;
    return element_bytes(out->type) > 0;
}

/* A float becomes an integer by dropping its fraction. */
static void compute_cast(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    (void)attributes;
    for (int64_t i = 0; i < element_count(&out->shape); i++)
        element_put(out, i, element_get(&in[0], i));
}

const struct kernel elementwise_kernels[] = {
    {"Add", 2, infer_two, compute_add},
    {"Sub", 2, infer_two, compute_sub},
    {"Mul", 2, infer_two, compute_mul},
    {"Div", 2, infer_two, compute_div},
    {"RealDiv", 2, infer_two, compute_div},
    {"Relu", 1, infer_one, compute_relu},
    {"Abs", 1, infer_one, compute_abs},
    {"Neg", 1, infer_one, compute_neg},
    {"Sqrt", 1, infer_one, compute_sqrt},
    {"Exp", 1, infer_one, compute_exp},
    {"Log", 1, infer_one, compute_log},
    {"Sigmoid", 1, infer_one, compute_sigmoid},
    {"Tanh", 1, infer_one, compute_tanh},
    {"Identity", 1, infer_one, compute_identity},
    {"Cast", 1, infer_cast, compute_cast},
    {NULL, 0, NULL, NULL},
};
