/* Elements chosen by tensors of numbers: gather, scatter, select, index. An index out of range is a trap, as on the cores. */
#include <stdlib.h>
#include <string.h>

#include "../entry.h"
#include "operator.h"

/* Position in a dense copy of `shape` of an element of `index`, with its coordinate on `axis` replaced. */
static int64_t positionOf(const struct aclTensor *index, const struct aclTensor *shape, int axis, int64_t at, int64_t number)
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
        results[i] = is_ready ? values[in->rank == 0 ? 0 : positionOf(index, in, axis, i, numbers[i])] : 0;
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
        int64_t at = in->rank == 0 ? 0 : positionOf(index, in, axis, i, numbers[i]);
        int64_t from = source == NULL || source->rank == 0 || index->rank == 0
                           ? 0
                           : positionOf(index, source, -1, i, 0);
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

/* tensor, axis, numbers, result */
static aclError selectRows(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *index = &plan->operands[1];
    int axis = axisOf(integerAt(plan, 1), in->rank);
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

/* Indices of several dimensions, broadcast together. A tensor without elements leaves its dimension whole. */
struct chosen {
    int64_t *numbers[RANK]; /* NULL: a whole dimension */
    int64_t count;          /* of the choices */
    int rank;               /* of their shape */
    int64_t dims[RANK];
    int first;              /* where that shape is among the result's dimensions */
};

static void drop(struct chosen *chosen)
{
    for (int i = 0; i < RANK; i++) {
        free(chosen->numbers[i]);
    }
}

static bool choose(struct chosen *chosen, const struct plan *plan, const struct aclTensor *in)
{
    int given = countAt(plan, 1), last = -1, between = 0;
    *chosen = (struct chosen){.count = 1, .first = -1};
    for (int i = 0; i < given && i < in->rank; i++) {
        const struct aclTensor *index = listedAt(plan, 1, i);
        if (operandCount(index) == 0 && index->rank == 1) {
            continue;
        }
        between += last >= 0 && last != i - 1;
        last = i;
        chosen->first = chosen->first < 0 ? i : chosen->first;
        for (int back = 1; back <= index->rank; back++) {
            if (back > chosen->rank) {
                memmove(chosen->dims + 1, chosen->dims, sizeof *chosen->dims * (RANK - 1));
                chosen->dims[0] = 1;
                chosen->rank = back;
            }
            int64_t *size = &chosen->dims[chosen->rank - back];
            *size = *size == 1 ? index->dims[index->rank - back] : *size;
        }
    }
    chosen->first = between > 0 || chosen->first < 0 ? 0 : chosen->first;
    for (int i = 0; i < chosen->rank; i++) {
        chosen->count *= chosen->dims[i];
    }
    for (int i = 0; i < given && i < in->rank; i++) {
        const struct aclTensor *index = listedAt(plan, 1, i);
        struct spread spread;
        if (operandCount(index) == 0 && index->rank == 1) {
            continue;
        }
        chosen->numbers[i] = malloc(((size_t)chosen->count + 1) * sizeof(int64_t));
        if (chosen->numbers[i] == NULL || !spreadOver(&spread, index, chosen->rank, chosen->dims)) {
            return false;
        }
        if (chosen->count > 0) {
            takeIntegers(&spread, 0, chosen->count, chosen->numbers[i]);
        }
    }
    return true;
}

/* Position in a dense copy of `in` of element `at` of the result; -1 out of range. */
static int64_t chosenPosition(const struct chosen *chosen, const struct aclTensor *in, int64_t at)
{
    int64_t sizes[2 * RANK], coordinates[2 * RANK], choice = 0, position = 0;
    int whole[RANK], count = 0, rank = 0;
    for (int i = 0; i < in->rank; i++) {
        if (chosen->numbers[i] == NULL) {
            whole[count++] = i;
        }
    }
    for (int i = 0; i < chosen->first; i++) {
        sizes[rank++] = in->dims[whole[i]];
    }
    for (int i = 0; i < chosen->rank; i++) {
        sizes[rank++] = chosen->dims[i];
    }
    for (int i = chosen->first; i < count; i++) {
        sizes[rank++] = in->dims[whole[i]];
    }
    for (int i = rank - 1; i >= 0; i--) {
        coordinates[i] = at % sizes[i];
        at /= sizes[i];
    }
    for (int i = 0; i < chosen->rank; i++) {
        choice = choice * chosen->dims[i] + coordinates[chosen->first + i];
    }
    for (int i = 0, seen = 0; i < in->rank; i++) {
        int64_t number = 0;
        if (chosen->numbers[i] == NULL) {
            number = coordinates[seen < chosen->first ? seen : seen + chosen->rank];
            seen++;
        } else {
            number = chosen->numbers[i][choice];
            if (!normalized(&number, in->dims[i])) {
                return -1;
            }
        }
        position = position * in->dims[i] + number;
    }
    return position;
}

/* tensor, list of indices, result */
static aclError choice(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[plan->count - 1];
    struct chosen chosen;
    int64_t count = operandCount(out);
    double *values = realsOf(in), *results = malloc(((size_t)count + 1) * sizeof *results);
    bool is_ready = choose(&chosen, plan, in) && values && results;
    for (int64_t i = 0; is_ready && i < count; i++) {
        int64_t position = chosenPosition(&chosen, in, i);
        is_ready = position >= 0;
        results[i] = is_ready ? values[position] : 0;
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    drop(&chosen);
    free(values);
    free(results);
    return code;
}

/* tensor, list of indices, values, whether they are added, unused */
static aclError indexPut(const struct plan *plan)
{
    const struct aclTensor *self = &plan->operands[0], *source = tensorAt(plan, 2);
    struct chosen chosen;
    double *values = realsOf(self);
    bool is_ready = choose(&chosen, plan, self) && values;
    /* The shape of what is written, to which the source is broadcast. */
    int64_t dims[2 * RANK], count = 1;
    int rank = 0, whole = 0;
    for (int i = 0; is_ready && i <= self->rank; i++) {
        if (whole == chosen.first && rank == whole) {
            for (int k = 0; k < chosen.rank; k++) {
                dims[rank++] = chosen.dims[k];
            }
        }
        if (i < self->rank && chosen.numbers[i] == NULL) {
            dims[rank++] = self->dims[i];
            whole++;
        }
    }
    for (int i = 0; i < rank; i++) {
        count *= dims[i];
    }
    struct spread from;
    is_ready = is_ready && rank <= RANK && spreadOver(&from, source, rank, dims);
    double *written = is_ready ? malloc(((size_t)count + 1) * sizeof *written) : NULL;
    is_ready = written != NULL;
    if (is_ready && count > 0) {
        takeReals(&from, 0, count, written);
    }
    for (int64_t i = 0; is_ready && i < count; i++) {
        int64_t position = chosenPosition(&chosen, self, i);
        is_ready = position >= 0;
        if (is_ready) {
            values[position] = integerAt(plan, 3) != 0 ? values[position] + written[i] : written[i];
        }
    }
    aclError code = is_ready ? storeReals(self, values) : UNMAPPED;
    drop(&chosen);
    free(values);
    free(written);
    return code;
}

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
    const struct aclTensor *whole = operandSpreads(mask, in) ? in : mask;
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

#define ROW(operator, letters, function, how) {.name = operator, .arguments = letters, .compute = function, .code = how}

const struct operator_row indexRows[] = {
    ROW("Gather", "TnTT", gather, 0),
    ROW("Scatter", "TnTTnT", scatter, SET),
    ROW("InplaceScatter", "=TnTTn", scatter, SET),
    ROW("ScatterValue", "TnTSnT", scatter, SET),
    ROW("InplaceScatterValue", "=TnTSn", scatter, SET),
    ROW("ScatterAdd", "TnTTT", scatter, ADD),
    ROW("IndexSelect", "TnTT", selectRows, 0),
    ROW("IndexAdd", "TnTTST", addRows, 0),
    ROW("InplaceIndexFill", "=TnTS", addRows, 0),
    ROW("Index", "TLT", choice, 0),
    ROW("IndexPutImpl", "=TLTbb", indexPut, 0),
    ROW("Nonzero", "TT", nonzero, 0),
    ROW("NonzeroV2", "TT", nonzero, 1),
    ROW("MaskedSelect", "TTT", maskedSelect, 0),
    {0},
};
