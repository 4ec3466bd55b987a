/* Running sums and products along a dimension. */
#include <stdlib.h>

#include "operator.h"

enum { SUM, PROD };

/* tensor, dim, [type,] result */
static aclError running(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[plan->count - 1];
    int axis = axisOf(integerAt(plan, 1), in->rank), order[RANK], at = 0;
    for (int i = 0; i < in->rank; i++) {
        if (i != axis) {
            order[at++] = i;
        }
    }
    if (in->rank > 0) {
        order[at] = axis;
    }
    struct spread from, to;
    if (!spreadOrdered(&from, in, order) || !spreadOrdered(&to, out, order)) {
        return UNMAPPED;
    }
    int64_t length = in->rank == 0 ? 1 : in->dims[axis];
    double *reals = malloc(((size_t)length + 1) * sizeof *reals);
    int64_t *wholes = malloc(((size_t)length + 1) * sizeof *wholes);
    bool is_whole = !typeIsReal(in->type) && !typeIsReal(out->type), is_sum = plan->row->code == SUM;
    for (int64_t row = 0; reals && wholes && length > 0 && row < from.count / length; row++) {
        if (is_whole) {
            takeIntegers(&from, row * length, length, wholes);
            for (int64_t i = 1; i < length; i++) {
                uint64_t one = (uint64_t)wholes[i], before = (uint64_t)wholes[i - 1];
                wholes[i] = (int64_t)(is_sum ? one + before : one * before);
            }
            putIntegers(&to, row * length, length, wholes);
        } else {
            takeReals(&from, row * length, length, reals);
            for (int64_t i = 1; i < length; i++) {
                reals[i] = is_sum ? reals[i] + reals[i - 1] : reals[i] * reals[i - 1];
            }
            putReals(&to, row * length, length, reals);
        }
    }
    aclError code = reals && wholes ? ACL_SUCCESS : NO_ROOM;
    free(reals);
    free(wholes);
    return code;
}

#define ROW(operator, letters, function, what, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .code = what)

const struct operator_row scanRows[] = {
    ROW("Cumsum", "TneT", running, SUM, AXIS(1, 0), SAME(3, 0)),
    ROW("CumsumV2", "TnbbT", running, SUM, AXIS(1, 0), SAME(4, 0)),
    ROW("Cumprod", "TSeT", running, PROD, AXIS(1, 0), SAME(3, 0)),
    {0},
};
