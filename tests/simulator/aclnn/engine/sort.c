/* Sorted rows, and the largest of each. */
#include <stdlib.h>

#include "operator.h"

struct item {
    double value;
    int64_t place;
    bool is_descending;
};

/* Not-a-number is the largest. Equal values keep their order. */
static int compare(const void *left, const void *right)
{
    const struct item *one = left, *other = right;
    bool is_nan = one->value != one->value, is_other_nan = other->value != other->value;
    int order = is_nan || is_other_nan ? is_nan - is_other_nan : (one->value > other->value) - (one->value < other->value);
    order = one->is_descending ? -order : order;
    return order != 0 ? order : (one->place > other->place) - (one->place < other->place);
}

/* `values` may be NULL: only places are asked for. */
static aclError sortAlong(const struct aclTensor *in, int64_t axis_given, int64_t kept, bool is_descending, const struct aclTensor *values,
                          const struct aclTensor *places)
{
    int axis = axisOf(axis_given, in->rank), order[RANK], at = 0;
    for (int i = 0; i < in->rank; i++) {
        if (i != axis) {
            order[at++] = i;
        }
    }
    if (in->rank > 0) {
        order[at] = axis;
    }
    int64_t length = in->rank == 0 ? 1 : in->dims[axis];
    kept = kept < 0 ? length : kept;
    struct spread from, to, where;
    bool is_ready = spreadOrdered(&from, in, order) && (!values || spreadOrdered(&to, values, order)) && spreadOrdered(&where, places, order);
    double *row = malloc(((size_t)length + 1) * sizeof *row);
    int64_t *numbers = malloc(((size_t)length + 1) * sizeof *numbers);
    struct item *items = malloc(((size_t)length + 1) * sizeof *items);
    is_ready = is_ready && row && numbers && items;
    for (int64_t i = 0; is_ready && length > 0 && kept > 0 && i < from.count / length; i++) {
        takeReals(&from, i * length, length, row);
        for (int64_t k = 0; k < length; k++) {
            items[k] = (struct item){row[k], k, is_descending};
        }
        qsort(items, (size_t)length, sizeof *items, compare);
        for (int64_t k = 0; k < kept; k++) {
            row[k] = items[k].value;
            numbers[k] = items[k].place;
        }
        if (values) {
            putReals(&to, i * kept, kept, row);
        }
        putIntegers(&where, i * kept, kept, numbers);
    }
    free(row);
    free(numbers);
    free(items);
    return is_ready ? ACL_SUCCESS : UNMAPPED;
}

static aclError sorted(const struct plan *plan, int64_t axis, int64_t kept, bool is_descending)
{
    return sortAlong(&plan->operands[0], axis, kept, is_descending, &plan->operands[1], &plan->operands[2]);
}

/* tensor, dim, descending, places */
static aclError places(const struct plan *plan)
{
    return sortAlong(tensorAt(plan, 0), integerAt(plan, 1), -1, integerAt(plan, 2) != 0, NULL, tensorAt(plan, 3));
}

/* tensor, stable, dim, descending, values, places */
static aclError sort(const struct plan *plan)
{
    return sorted(plan, integerAt(plan, 2), -1, integerAt(plan, 3) != 0);
}

/* tensor, how many, dim, largest, sorted, values, places */
static aclError top(const struct plan *plan)
{
    return sorted(plan, integerAt(plan, 2), integerAt(plan, 1), integerAt(plan, 3) != 0);
}

/* The shape of argument 1, with as many elements along the axis as are kept. */
#define TOP(result) SAME_BUT_AXIS(result, 0, 2), SIZED(result, 2, 1)

const struct operator_row sortRows[] = {
    OPERATOR("Sort", "TbnbTT", sort, CHECKS(AXIS(2, 0), SAME(4, 0), SAME(5, 0))),
    OPERATOR("Argsort", "TnbT", places, CHECKS(AXIS(1, 0), SAME(3, 0))),
    OPERATOR("Topk", "TnnbbTT", top, CHECKS(AXIS(2, 0), K_FITS(1, 0, 2, 0), TOP(5), TOP(6))),
    OPERATOR("TopkV2", "TnnbbnTT", top, CHECKS(AXIS(2, 0), K_FITS(1, 0, 2, 0), TOP(6), TOP(7))),
    {0},
};
