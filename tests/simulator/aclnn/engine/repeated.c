/* Elements repeated one after the other, along an axis or in one row. */
#include <stdlib.h>

#include "operator.h"

/* tensor, repeats (or a number), [dim,] output size, result */
static aclError repeatInterleave(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[plan->count - 1];
    bool is_list = argumentAt(plan, 1)->kind == 'T', has_axis = plan->row->code == 1;
    struct aclTensor flat = *in;
    double *values = realsOf(in);
    int64_t *times = is_list ? integersOf(tensorAt(plan, 1)) : NULL;
    int64_t after = 1, before = 1, size = operandCount(in);
    if (has_axis) {
        int axis = axisOf(integerAt(plan, 2), in->rank);
        size = flat.dims[axis];
        for (int i = 0; i < in->rank; i++) {
            *(i < axis ? &before : &after) *= i == axis ? 1 : in->dims[i];
        }
    }
    bool is_ready = values != NULL && (!is_list || times != NULL);
    int64_t given = is_list ? operandCount(tensorAt(plan, 1)) : 1, at = 0;
    struct spread to;
    is_ready = is_ready && spreadOf(&to, out);
    for (int64_t i = 0; is_ready && after > 0 && i < before * size; i++) {
        int64_t count = is_list ? times[given == 1 ? 0 : i % size] : integerAt(plan, 1);
        for (; count > 0 && at + after <= to.count; count--, at += after) {
            putReals(&to, at, after, values + i * after);
        }
    }
    free(values);
    free(times);
    return is_ready ? ACL_SUCCESS : UNMAPPED;
}

/* How often, for all elements along the axis, or for each. */
static bool timesFit(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    int64_t given = operandCount(tensorAt(plan, 1));
    return given == 1 || given == (plan->row->code == 1 ? in->dims[axisOf(integerAt(plan, 2), in->rank)] : operandCount(in));
}
#define TIMES "argument 2 has neither one element nor one for each of argument 1"

const struct operator_row repeatedRows[] = {
    OPERATOR("RepeatInterleave", "TTnT", repeatInterleave, CHECKS(INDEX(1), FITS(timesFit, TIMES))),
    OPERATOR("RepeatInterleaveInt", "TnnT", repeatInterleave, CHECKS(WITHIN(1, 0, INT64_MAX))),
    OPERATOR("RepeatInterleaveWithDim", "TTnnT", repeatInterleave, CHECKS(RANKS(0, 1, RANK), AXIS(2, 0), INDEX(1), FITS(timesFit, TIMES)), .code = 1),
    OPERATOR("RepeatInterleaveIntWithDim", "TnnnT", repeatInterleave, CHECKS(RANKS(0, 1, RANK), AXIS(2, 0), WITHIN(1, 0, INT64_MAX)), .code = 1),
    {0},
};
