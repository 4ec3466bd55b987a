/* Elements where something holds: their coordinates, or themselves. Sizes of results are known only afterwards. */
#include <stdlib.h>

#include "operator.h"

/* tensor, result: a row of coordinates for each element that is set, or (code 1) a column, packed as if the result had that size */
static aclError nonzero(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0];
    struct aclTensor out = plan->operands[1];
    double *values = realsOf(in);
    int64_t found = 0, *rows = malloc(((size_t)(operandCount(in) * (in->rank + 1)) + 1) * sizeof *rows);
    for (int64_t i = 0; values && rows && i < operandCount(in); i++) {
        int64_t rest = i;
        for (int axis = in->rank - 1; axis >= 0 && values[i] != 0; axis--) {
            rows[found * in->rank + axis] = rest % in->dims[axis];
            rest /= in->dims[axis];
        }
        found += values[i] != 0;
    }
    aclError code = UNMAPPED;
    if (values && rows) {
        bool is_column = plan->row->code == 1;
        operandShrink(plan, 1, is_column ? 1 : 0, found);
        out.dims[0] = found;
        out.strides[0] = is_column ? 1 : out.strides[0];
        out.dims[1] = is_column ? in->rank : out.dims[1];
        out.strides[1] = is_column ? found : out.strides[1];
        code = found == 0 || in->rank == 0 ? ACL_SUCCESS : storeIntegers(&out, rows);
    }
    free(values);
    free(rows);
    return code;
}

/* tensor, mask, result */
static aclError maskedSelect(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *mask = &plan->operands[1];
    struct aclTensor out = plan->operands[2];
    struct aclTensor both = in->rank > mask->rank ? *in : *mask, *whole = &both;
    for (int back = 1; back <= both.rank; back++) {
        int64_t own = back > in->rank ? 1 : in->dims[in->rank - back], other = back > mask->rank ? 1 : mask->dims[mask->rank - back];
        both.dims[both.rank - back] = own == 1 ? other : own;
    }
    struct spread from, which;
    int64_t count = operandCount(whole), found = 0;
    double *values = malloc(((size_t)count + 1) * sizeof *values), *is_set = malloc(((size_t)count + 1) * sizeof *is_set);
    aclError code = UNMAPPED;
    if (values && is_set && spreadOver(&from, in, whole->rank, whole->dims) && spreadOver(&which, mask, whole->rank, whole->dims)) {
        if (count > 0) {
            takeReals(&from, 0, count, values);
            takeReals(&which, 0, count, is_set);
        }
        for (int64_t i = 0; i < count; i++) {
            if (is_set[i] != 0) {
                values[found++] = values[i];
            }
        }
        operandShrink(plan, 2, 0, found);
        out.dims[0] = found;
        code = found == 0 ? ACL_SUCCESS : storeReals(&out, values);
    }
    free(values);
    free(is_set);
    return code;
}

static bool coordinatesFit(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 1);
    return out->dims[plan->row->code == 1 ? 0 : 1] == in->rank;
}

static bool maskFits(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *mask = tensorAt(plan, 1);
    for (int back = 1; back <= in->rank && back <= mask->rank; back++) {
        int64_t size = in->dims[in->rank - back], other = mask->dims[mask->rank - back];
        if (size != other && size != 1 && other != 1) {
            return false;
        }
    }
    return true;
}
#define COORDINATES "argument 2 has not a coordinate for each dimension of argument 1"

#define ROW(operator, letters, function, how, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .shrinks = true, .code = how)

const struct operator_row whereRows[] = {
    ROW("Nonzero", "TT", nonzero, 0, RANKS(1, 2, 2), FITS(coordinatesFit, COORDINATES)),
    ROW("NonzeroV2", "TT", nonzero, 1, RANKS(1, 2, 2), FITS(coordinatesFit, COORDINATES)),
    ROW("MaskedSelect", "TTT", maskedSelect, 0, RANKS(2, 1, 1), FITS(maskFits, "arguments 1 and 2 do not broadcast together")),
    {0},
};
