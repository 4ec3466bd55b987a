/* Elements chosen by numbers of several dimensions at once, or by masks. A number out of range is a trap, as on the cores. */
#include <stdlib.h>
#include <string.h>

#include "operator.h"

static bool normalized(int64_t *number, int64_t size)
{
    *number += *number < 0 ? size : 0;
    return *number >= 0 && *number < size;
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

/* One dimension's numbers, in their own shape. */
struct numbers {
    int64_t *values; /* NULL: a whole dimension */
    int rank;
    int64_t dims[RANK];
};

/* A mask is as many vectors of numbers as it has dimensions: where it is set. */
static bool unmask(const struct aclTensor *mask, struct numbers *numbers)
{
    double *set = realsOf(mask);
    int64_t count = operandCount(mask), found = 0;
    bool is_ready = set != NULL;
    for (int axis = 0; axis < mask->rank; axis++) {
        numbers[axis] = (struct numbers){malloc(((size_t)count + 1) * sizeof(int64_t)), 1, {0}};
        is_ready = is_ready && numbers[axis].values != NULL;
    }
    for (int64_t i = 0; is_ready && i < count; i++) {
        int64_t rest = i;
        for (int axis = mask->rank - 1; axis >= 0 && set[i] != 0; axis--) {
            numbers[axis].values[found] = rest % mask->dims[axis];
            rest /= mask->dims[axis];
        }
        found += set[i] != 0;
    }
    for (int axis = 0; axis < mask->rank; axis++) {
        numbers[axis].dims[0] = found;
    }
    free(set);
    return is_ready;
}

/* A vector without elements or memory and of the tensor's own type leaves its dimension whole: so torch_npu writes holes. */
static bool isHole(const struct aclTensor *index, const struct aclTensor *in)
{
    return operandCount(index) == 0 && index->rank == 1 && index->type == in->type && index->data == NULL;
}

/* All dimensions' numbers. */
static bool collect(struct numbers numbers[RANK], const struct plan *plan, const struct aclTensor *in)
{
    bool is_ready = true;
    int axis = 0;
    for (int i = 0; i < countAt(plan, 1) && axis < in->rank; i++) {
        const struct aclTensor *index = listedAt(plan, 1, i);
        if (isHole(index, in)) {
            axis++;
        } else if (index->type == ACL_BOOL && index->rank > 0) {
            is_ready = axis + index->rank <= in->rank && unmask(index, &numbers[axis]) && is_ready;
            axis += index->rank;
        } else {
            numbers[axis] = (struct numbers){integersOf(index), index->rank, {0}};
            memcpy(numbers[axis].dims, index->dims, sizeof index->dims);
            is_ready = numbers[axis++].values != NULL && is_ready;
        }
    }
    return is_ready;
}

static bool choose(struct chosen *chosen, const struct plan *plan, const struct aclTensor *in)
{
    struct numbers numbers[RANK] = {{0}};
    int last = -1, between = 0;
    *chosen = (struct chosen){.count = 1, .first = -1};
    bool is_ready = collect(numbers, plan, in);
    for (int i = 0; is_ready && i < in->rank; i++) {
        if (numbers[i].values == NULL) {
            continue;
        }
        between += last >= 0 && last != i - 1;
        last = i;
        chosen->first = chosen->first < 0 ? i : chosen->first;
        for (int back = 1; back <= numbers[i].rank; back++) {
            if (back > chosen->rank) {
                memmove(chosen->dims + 1, chosen->dims, sizeof *chosen->dims * (RANK - 1));
                chosen->dims[0] = 1;
                chosen->rank = back;
            }
            int64_t *size = &chosen->dims[chosen->rank - back];
            int64_t own = numbers[i].dims[numbers[i].rank - back];
            /* How often a mask is set is known only now. */
            is_ready = is_ready && (own == *size || own == 1 || *size == 1);
            *size = *size == 1 ? own : *size;
        }
    }
    chosen->first = between > 0 || chosen->first < 0 ? 0 : chosen->first;
    for (int i = 0; i < chosen->rank; i++) {
        chosen->count *= chosen->dims[i];
    }
    for (int i = 0; i < in->rank; i++) {
        if (is_ready && numbers[i].values != NULL) {
            chosen->numbers[i] = malloc(((size_t)chosen->count + 1) * sizeof(int64_t));
            is_ready = chosen->numbers[i] != NULL;
            for (int64_t at = 0; is_ready && at < chosen->count; at++) {
                int64_t rest = at, position = 0, step = 1;
                for (int back = 1; back <= numbers[i].rank; back++) {
                    int64_t size = numbers[i].dims[numbers[i].rank - back];
                    position += size == 1 ? 0 : rest % chosen->dims[chosen->rank - back] * step;
                    rest /= chosen->dims[chosen->rank - back];
                    step *= size;
                }
                chosen->numbers[i][at] = numbers[i].values[position];
            }
        }
        free(numbers[i].values);
    }
    return is_ready;
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
    bool is_ready = choose(&chosen, plan, in) && values && results && (count == 0 || (chosen.count > 0 && operandCount(in) > 0));
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

/* The indices take no more axes than there are; masks have their sizes. */
static bool indicesFit(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    int axis = 0;
    for (int i = 0; i < countAt(plan, 1); i++) {
        const struct aclTensor *index = listedAt(plan, 1, i);
        bool is_mask = index->type == ACL_BOOL && index->rank > 0 && !isHole(index, in);
        if (typeIsReal(index->type) && operandCount(index) > 0) {
            return refuse("index %d of argument 2 has the type %d, which is not an integer's", i + 1, (int)index->type);
        }
        for (int at = 0; is_mask && at < index->rank; at++) {
            if (axis + at >= in->rank || index->dims[at] != in->dims[axis + at]) {
                return refuse("mask %d of argument 2 has the shape %s, which argument 1 of shape %s has not", i + 1, shapeText(index), shapeText(in));
            }
        }
        axis += is_mask ? index->rank : 1;
    }
    return axis <= in->rank || refuse("argument 2 indexes %d axes, argument 1 of shape %s has fewer", axis, shapeText(in));
}

#define ROW(operator, letters, function) OPERATOR(operator, letters, function, CHECKS(FITS(indicesFit, "argument 2 has more axes than argument 1")))

const struct operator_row choiceRows[] = {
    ROW("Index", "TLT", choice),
    ROW("IndexPutImpl", "=TLTbb", indexPut),
    {0},
};
