/* Elements chosen by tensors of numbers: gather, scatter, select. An index out of range is a trap, as on the cores. */
#include <stdlib.h>
#include <string.h>

#include "../entry.h"
#include "operator.h"

int64_t placeAlong(const struct aclTensor *index, const struct aclTensor *shape, int axis, int64_t at, int64_t number)
{
    int64_t position = 0, coordinates[RANK];
    for (int i = index->rank - 1; i >= 0; i--) {
        coordinates[i] = at % index->dims[i];
        at /= index->dims[i];
    }
    for (int i = 0; i < shape->rank; i++) {
        position = position * shape->dims[i] + (i == axis ? number : coordinates[i]);
    }
    return position;
}

static bool normalized(int64_t *number, int64_t size)
{
    *number += *number < 0 ? size : 0;
    return *number >= 0 && *number < size;
}

/* tensor, axis, index, result */
static aclError gather(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *index = &plan->operands[1];
    int axis = axisOf(integerAt(plan, 1), in->rank);
    int64_t *numbers = integersOf(index), count = operandCount(index);
    double *values = realsOf(in), *results = malloc(((size_t)count + 1) * sizeof *results);
    bool is_ready = numbers && values && results;
    for (int64_t i = 0; is_ready && i < count; i++) {
        is_ready = in->rank == 0 || normalized(&numbers[i], in->dims[axis]);
        results[i] = is_ready ? values[in->rank == 0 ? 0 : placeAlong(index, in, axis, i, numbers[i])] : 0;
    }
    aclError code = is_ready ? storeReals(&plan->operands[2], results) : UNMAPPED;
    free(numbers);
    free(values);
    free(results);
    return code;
}

enum { SET, ADD, MULTIPLY };

/* tensor, axis, index, what is written (a tensor or a number), [how,] [result] */
static aclError scatter(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *index = &plan->operands[1];
    const struct aclTensor *source = argumentAt(plan, 3)->kind == 'T' ? tensorAt(plan, 3) : NULL;
    const struct aclTensor *out = plan->row->arguments[0] == '=' ? in : &plan->operands[plan->count - 1];
    int axis = axisOf(integerAt(plan, 1), in->rank), how = plan->row->code != 0 ? plan->row->code : (int)integerAt(plan, 4);
    int64_t *numbers = integersOf(index), count = operandCount(index);
    double *values = realsOf(in), *written = source ? realsOf(source) : NULL;
    bool is_ready = numbers && values && (!source || written);
    for (int64_t i = 0; is_ready && i < count; i++) {
        is_ready = in->rank == 0 || normalized(&numbers[i], in->dims[axis]);
        if (!is_ready) {
            break;
        }
        int64_t at = in->rank == 0 ? 0 : placeAlong(index, in, axis, i, numbers[i]);
        int64_t from = source == NULL || source->rank == 0 || index->rank == 0
                           ? 0
                           : placeAlong(index, source, -1, i, 0);
        double value = source ? written[from] : numberAt(plan, 3);
        values[at] = how == ADD ? values[at] + value : how == MULTIPLY ? values[at] * value : value;
    }
    aclError code = is_ready ? storeReals(out, values) : UNMAPPED;
    free(numbers);
    free(values);
    free(written);
    return code;
}

/* A dense tensor as what is before an axis, the axis, and what is after it. */
static void around(const struct aclTensor *tensor, int axis, int64_t *before, int64_t *after)
{
    *before = *after = 1;
    for (int i = 0; i < tensor->rank; i++) {
        *before *= i < axis ? tensor->dims[i] : 1;
        *after *= i > axis ? tensor->dims[i] : 1;
    }
}

/* Dense tensors of one type: whole rows are copied, as tables of weights may be larger than all that is asked of them. */
static bool areCopied(const struct aclTensor *in, const struct aclTensor *out)
{
    return in->type == out->type && elementBytes(in->type) > 0 && operandIsDense(in) && operandIsDense(out) && operandCount(in) > 0 && operandCount(out) > 0;
}

static aclError copyRows(const struct aclTensor *in, const struct aclTensor *index, const struct aclTensor *out, int axis)
{
    int64_t before, after, count = operandCount(index), size = in->rank == 0 ? 1 : in->dims[axis];
    around(in, axis, &before, &after);
    size_t row = (size_t)after * elementBytes(in->type);
    int64_t *numbers = integersOf(index);
    struct view from = operandView(in), to = operandView(out);
    bool is_ready = numbers && from.bytes && to.bytes;
    for (int64_t i = 0; is_ready && i < before * count; i++) {
        int64_t number = numbers[i % count];
        is_ready = normalized(&number, size);
        if (is_ready) {
            const unsigned char *source = from.bytes + (size_t)in->offset * elementBytes(in->type) + (size_t)(i / count * size + number) * row;
            memmove(to.bytes + (size_t)out->offset * elementBytes(out->type) + (size_t)i * row, source, row);
        }
    }
    free(numbers);
    return is_ready ? ACL_SUCCESS : UNMAPPED;
}

/* tensor, axis, numbers, result */
static aclError selectRows(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *index = &plan->operands[1];
    int axis = axisOf(integerAt(plan, 1), in->rank);
    if (areCopied(in, &plan->operands[2])) {
        return copyRows(in, index, &plan->operands[2], axis);
    }
    int64_t before, after, *numbers = integersOf(index), count = operandCount(index);
    around(in, axis, &before, &after);
    int64_t size = in->rank == 0 ? 1 : in->dims[axis];
    double *values = realsOf(in), *results = malloc(((size_t)(before * count * after) + 1) * sizeof *results);
    bool is_ready = numbers && values && results;
    for (int64_t i = 0; is_ready && i < before * count; i++) {
        is_ready = normalized(&numbers[i % count], size);
        if (is_ready) {
            memcpy(results + i * after, values + (i / count * size + numbers[i % count]) * after, (size_t)after * sizeof *values);
        }
    }
    aclError code = is_ready ? storeReals(&plan->operands[2], results) : UNMAPPED;
    free(numbers);
    free(values);
    free(results);
    return code;
}

/* tensor, axis, numbers, source (or a number), [factor, result] */
static aclError addRows(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *index = &plan->operands[1];
    bool is_fill = plan->row->arguments[0] == '=';
    const struct aclTensor *source = is_fill ? NULL : tensorAt(plan, 3), *out = is_fill ? in : tensorAt(plan, 5);
    int axis = axisOf(integerAt(plan, 1), in->rank);
    int64_t before, after, *numbers = integersOf(index), count = operandCount(index);
    around(in, axis, &before, &after);
    int64_t size = in->rank == 0 ? 1 : in->dims[axis];
    double *values = realsOf(in), *added = source ? realsOf(source) : NULL;
    bool is_ready = numbers && values && (is_fill || added);
    for (int64_t i = 0; is_ready && i < before * count; i++) {
        is_ready = normalized(&numbers[i % count], size);
        double *row = values + (i / count * size + (is_ready ? numbers[i % count] : 0)) * after;
        for (int64_t k = 0; is_ready && k < after; k++) {
            row[k] = is_fill ? numberAt(plan, 3) : row[k] + numberAt(plan, 4) * added[i * after + k];
        }
    }
    aclError code = is_ready ? storeReals(out, values) : UNMAPPED;
    free(numbers);
    free(values);
    free(added);
    return code;
}

#define ROW(operator, letters, function, how, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .code = how)

#define SCATTERED AXIS(1, 0), INDEX(2), INSIDE_BUT_AXIS(2, 0, 1)

const struct operator_row indexRows[] = {
    ROW("Gather", "TnTT", gather, 0, AXIS(1, 0), INDEX(2), INSIDE_BUT_AXIS(2, 0, 1), AS_MANY(3, 2)),
    ROW("Scatter", "TnTTnT", scatter, SET, SCATTERED, INSIDE(2, 3), AS_MANY(RESULT, 0)),
    ROW("InplaceScatter", "=TnTTn", scatter, SET, SCATTERED, INSIDE(2, 3)),
    ROW("ScatterValue", "TnTSnT", scatter, SET, SCATTERED, AS_MANY(RESULT, 0)),
    ROW("InplaceScatterValue", "=TnTSn", scatter, SET, SCATTERED),
    ROW("ScatterAdd", "TnTTT", scatter, ADD, SCATTERED, INSIDE(2, 3), AS_MANY(RESULT, 0)),
    ROW("IndexSelect", "TnTT", selectRows, 0, AXIS(1, 0), INDEX(2), ROWS_OF(3, 0, 1, 2)),
    ROW("GatherV2", "TnTT", selectRows, 0, AXIS(1, 0), INDEX(2), ROWS_OF(3, 0, 1, 2)),
    ROW("IndexAdd", "TnTTST", addRows, 0, AXIS(1, 0), INDEX(2), ROWS_OF(3, 0, 1, 2), AS_MANY(RESULT, 0)),
    ROW("InplaceIndexFill", "=TnTS", addRows, 0, AXIS(1, 0), INDEX(2)),
    {0},
};
