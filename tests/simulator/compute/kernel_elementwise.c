/* Operators that compute each element on its own: two operands with broadcasting, one operand, casts. */
#include <math.h>

#include "kernel.h"

static bool inferTwo(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    (void)attributes;
    out->type = in[0].type;
    return in[0].type == in[1].type && broadcastShape(&in[0].shape, &in[1].shape, &out->shape);
}

static bool inferOne(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    (void)attributes;
    out->type = in[0].type;
    out->shape = in[0].shape;
    return true;
}

static bool isFloat(aclDataType type)
{
    return type == ACL_FLOAT || type == ACL_DOUBLE || type == ACL_FLOAT16 || type == ACL_BF16;
}

/* Integer division by zero is device-defined; 0 here, never a trap on the host. */
static long double divide(const struct view *out, long double left, long double right)
{
    if (isFloat(out->type)) {
        return left / right;
    }
    return right == 0 ? 0 : truncl(left / right);
}

#define TWO_OPERANDS(function, expression) \
    static void function(const struct view *in, int count, const aclopAttr *attributes, const struct view *out) \
    { \
        (void)count; \
        (void)attributes; \
        for (int64_t i = 0; i < elementCount(&out->shape); i++) { \
            long double left = elementGet(&in[0], broadcastIndex(&in[0].shape, &out->shape, i)); \
            long double right = elementGet(&in[1], broadcastIndex(&in[1].shape, &out->shape, i)); \
            elementPut(out, i, expression); \
        } \
    }

#define ONE_OPERAND(function, expression) \
    static void function(const struct view *in, int count, const aclopAttr *attributes, const struct view *out) \
    { \
        (void)count; \
        (void)attributes; \
        for (int64_t i = 0; i < elementCount(&out->shape); i++) { \
            long double value = elementGet(&in[0], i); \
            elementPut(out, i, expression); \
        } \
    }

TWO_OPERANDS(computeAdd, left + right)
TWO_OPERANDS(computeSub, left - right)
TWO_OPERANDS(computeMul, left *right)
TWO_OPERANDS(computeDiv, divide(out, left, right))
ONE_OPERAND(computeRelu, value > 0 ? value : 0)
ONE_OPERAND(computeAbs, fabsl(value))
ONE_OPERAND(computeNeg, -value)
ONE_OPERAND(computeSqrt, sqrtl(value))
ONE_OPERAND(computeExp, expl(value))
ONE_OPERAND(computeLog, logl(value))
ONE_OPERAND(computeSigmoid, 1 / (1 + expl(-value)))
ONE_OPERAND(computeTanh, tanhl(value))
ONE_OPERAND(computeIdentity, value)

/* ONNX names the target type by its own numbers; a CANN caller says it with the output descriptor. */
static bool inferCast(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    static const aclDataType onnx_types[] = {
        ACL_DT_UNDEFINED, ACL_FLOAT,  ACL_UINT8, ACL_INT8,    ACL_UINT16, ACL_INT16,  ACL_INT32,
        ACL_INT64,        ACL_STRING, ACL_BOOL,  ACL_FLOAT16, ACL_DOUBLE, ACL_UINT32, ACL_UINT64,
    };
    (void)count;
    int64_t to = attributeInteger(attributes, "to", -1);
    if (to >= 0) {
        if (to >= (int64_t)(sizeof onnx_types / sizeof *onnx_types)) {
            return false;
        }
        out->type = onnx_types[to];
    }
    out->shape = in[0].shape;
    return elementBytes(out->type) > 0;
}

/* A float becomes an integer by dropping its fraction. */
static void computeCast(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    (void)attributes;
    for (int64_t i = 0; i < elementCount(&out->shape); i++) {
        elementPut(out, i, elementGet(&in[0], i));
    }
}

const struct kernel elementwise_kernels[] = {
    {"Add", 2, inferTwo, computeAdd},     {"Sub", 2, inferTwo, computeSub},
    {"Mul", 2, inferTwo, computeMul},     {"Div", 2, inferTwo, computeDiv},
    {"RealDiv", 2, inferTwo, computeDiv}, {"Relu", 1, inferOne, computeRelu},
    {"Abs", 1, inferOne, computeAbs},     {"Neg", 1, inferOne, computeNeg},
    {"Sqrt", 1, inferOne, computeSqrt},   {"Exp", 1, inferOne, computeExp},
    {"Log", 1, inferOne, computeLog},     {"Sigmoid", 1, inferOne, computeSigmoid},
    {"Tanh", 1, inferOne, computeTanh},   {"Identity", 1, inferOne, computeIdentity},
    {"Cast", 1, inferCast, computeCast},  {NULL, 0, NULL, NULL},
};
