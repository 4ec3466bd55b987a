/* Comparisons, and operators on bits and on truth, element by element. */
#include <math.h>

#include "operator.h"

#define BOTH(name, value) \
    REAL(name, value) \
    WHOLE(name, value)

BOTH(eq, a == b)
BOTH(ne, a != b)
BOTH(gt, a > b)
BOTH(ge, a >= b)
BOTH(lt, a < b)
BOTH(le, a <= b)
BOTH(logical_and, a != 0 && b != 0)
BOTH(logical_or, a != 0 || b != 0)
BOTH(logical_xor, (a != 0) != (b != 0))
BOTH(logical_not, a == 0)
WHOLE(and, a &b)
WHOLE(or, a | b)
WHOLE(xor, a ^ b)
WHOLE(not, ~a)
WHOLE(shift_left, (int64_t)((uint64_t)a << (b & 63)))
WHOLE(shift_right, a >> (b & 63))
REAL(is_finite, isfinite(a) != 0)
REAL(is_inf, isinf(a) != 0)
REAL(is_nan, a != a)
REAL(is_pos_inf, isinf(a) && a > 0)
REAL(is_neg_inf, isinf(a) && a < 0)
REAL(signbit, signbit(a) != 0)

/* Integers of bools: only whether they are set counts. */
static aclError bitwiseNot(const struct plan *plan)
{
    struct plan *own = (struct plan *)plan;
    static const struct operator_row as_truth = {.arguments = "TT", .real = real_logical_not, .whole = whole_logical_not};
    if (plan->operands[0].type == ACL_BOOL) {
        own->row = &as_truth;
    }
    return pointwise(own);
}

#define ROW(operator, letters, function) \
    OPERATOR(operator, letters, pointwise, CHECKS(ELEMENTWISE), .real = real_##function)
#define ROW_BOTH(operator, letters, function) \
    OPERATOR(operator, letters, pointwise, CHECKS(ELEMENTWISE), .real = real_##function, \
     .whole = whole_##function)
#define ROW_WHOLE(operator, letters, function) \
    OPERATOR(operator, letters, pointwise, CHECKS(ELEMENTWISE), .real = real_eq, \
     .whole = whole_##function)
#define COMPARISON(name, function) \
    ROW_BOTH(#name "Tensor", "TTT", function), ROW_BOTH(#name "Scalar", "TST", function), \
        ROW_BOTH("Inplace" #name "Tensor", "=TT", function), ROW_BOTH("Inplace" #name "Scalar", "=TS", function)
#define BITS(name, function) \
    ROW_WHOLE("Bitwise" #name "Tensor", "TTT", function), ROW_WHOLE("Bitwise" #name "Scalar", "TST", function), \
        ROW_WHOLE("InplaceBitwise" #name "Tensor", "=TT", function), \
        ROW_WHOLE("InplaceBitwise" #name "Scalar", "=TS", function)

const struct operator_row compareRows[] = {
    COMPARISON(Eq, eq),
    COMPARISON(Ne, ne),
    COMPARISON(Gt, gt),
    COMPARISON(Ge, ge),
    COMPARISON(Lt, lt),
    COMPARISON(Le, le),
    BITS(And, and),
    BITS(Or, or),
    BITS(Xor, xor),
    OPERATOR("BitwiseNot", "TT", bitwiseNot, CHECKS(ELEMENTWISE), .real = real_eq, .whole = whole_not),
    ROW_WHOLE("LeftShift", "TTT", shift_left),
    ROW_WHOLE("RightShift", "TTT", shift_right),
    ROW_BOTH("LogicalAnd", "TTT", logical_and),
    ROW_BOTH("InplaceLogicalAnd", "=TT", logical_and),
    ROW_BOTH("LogicalOr", "TTT", logical_or),
    ROW_BOTH("InplaceLogicalOr", "=TT", logical_or),
    ROW_BOTH("LogicalXor", "TTT", logical_xor),
    ROW_BOTH("LogicalNot", "TT", logical_not),
    ROW_BOTH("InplaceLogicalNot", "=T", logical_not),
    ROW("IsFinite", "TT", is_finite),
    ROW("IsInf", "TT", is_inf),
    ROW("IsNan", "TT", is_nan),
    ROW("IsPosInf", "TT", is_pos_inf),
    ROW("IsNegInf", "TT", is_neg_inf),
    ROW("Signbit", "TT", signbit),
    {0},
};
