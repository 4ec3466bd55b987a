/* Elements written where tensors of numbers say: copies, fills, masks, reductions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operator.h"

static bool normalized(int64_t *number, int64_t size)
{
    *number += *number < 0 ? size : 0;
    return *number >= 0 && *number < size;
}

/* A dense tensor as what is before an axis, its size there, and what is after it. */
struct around {
    int64_t before, size, after;
};

static struct around aroundOf(const struct aclTensor *tensor, int64_t given)
{
    int axis = axisOf(given, tensor->rank);
    struct around around = {1, tensor->rank == 0 ? 1 : tensor->dims[axis], 1};
    for (int i = 0; i < tensor->rank; i++) {
        around.before *= i < axis ? tensor->dims[i] : 1;
        around.after *= i > axis ? tensor->dims[i] : 1;
    }
    return around;
}

/* The numbers of argument 2, a tensor or an array, in memory that the caller frees. */
static int64_t *numbersOf(const struct plan *plan, int64_t *count)
{
    if (tensorAt(plan, 2) != NULL) {
        *count = operandCount(tensorAt(plan, 2));
        return integersOf(tensorAt(plan, 2));
    }
    *count = countAt(plan, 2);
    int64_t *numbers = malloc(((size_t)*count + 1) * sizeof *numbers);
    for (int64_t i = 0; numbers && i < *count; i++) {
        numbers[i] = integersAt(plan, 2)[i];
    }
    return numbers;
}

/* tensor, axis, numbers, source (a tensor of rows, or a scalar), [result] */
static aclError setRows(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *source = tensorAt(plan, 3);
    const struct aclTensor *out = plan->row->arguments[0] == '=' ? in : tensorAt(plan, 4);
    struct around around = aroundOf(in, integerAt(plan, 1));
    int64_t count, *numbers = numbersOf(plan, &count);
    double *values = realsOf(in), *rows = source ? realsOf(source) : NULL;
    bool is_ready = numbers && values && (!source || rows);
    for (int64_t i = 0; is_ready && i < around.before * count; i++) {
        is_ready = normalized(&numbers[i % count], around.size);
        double *row = values + (i / count * around.size + (is_ready ? numbers[i % count] : 0)) * around.after;
        for (int64_t k = 0; is_ready && k < around.after; k++) {
            row[k] = source ? rows[i * around.after + k] : numberAt(plan, 3);
        }
    }
    aclError code = is_ready ? storeReals(out, values) : UNMAPPED;
    free(numbers);
    free(values);
    free(rows);
    return code;
}

/* Numbers of an array are known in phase one. */
static bool numbersFit(const struct plan *plan)
{
    int64_t size = aroundOf(tensorAt(plan, 0), integerAt(plan, 1)).size;
    for (int i = 0; i < countAt(plan, 2); i++) {
        int64_t number = integersAt(plan, 2)[i];
        if (number < -size || number >= size) {
            return false;
        }
    }
    return true;
}

/* tensor, places in it as one row, result */
static aclError take(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *index = tensorAt(plan, 1);
    int64_t count = operandCount(index), size = operandCount(in), *numbers = integersOf(index);
    double *values = realsOf(in), *results = malloc(((size_t)count + 1) * sizeof *results);
    bool is_ready = numbers && values && results;
    for (int64_t i = 0; is_ready && i < count; i++) {
        is_ready = normalized(&numbers[i], size);
        results[i] = is_ready ? values[numbers[i]] : 0;
    }
    aclError code = is_ready ? storeReals(tensorAt(plan, 2), results) : UNMAPPED;
    free(numbers);
    free(values);
    free(results);
    return code;
}

/* tensor, places in it as one row, values, whether they are added */
static aclError put(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *index = tensorAt(plan, 1);
    int64_t size = operandCount(in), *numbers = integersOf(index);
    double *values = realsOf(in), *written = realsOf(tensorAt(plan, 2));
    bool is_ready = numbers && values && written;
    for (int64_t i = 0; is_ready && i < operandCount(index); i++) {
        is_ready = normalized(&numbers[i], size);
        if (is_ready) {
            values[numbers[i]] = written[i] + (integerAt(plan, 3) != 0 ? values[numbers[i]] : 0);
        }
    }
    aclError code = is_ready ? storeReals(in, values) : UNMAPPED;
    free(numbers);
    free(values);
    free(written);
    return code;
}

/* tensor, mask, values that are used up in order */
static aclError maskedScatter(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    struct spread mask;
    int64_t count = operandCount(in), used = 0, left = operandCount(tensorAt(plan, 2));
    double *values = realsOf(in), *source = realsOf(tensorAt(plan, 2)), set;
    bool is_ready = values && source && spreadOver(&mask, tensorAt(plan, 1), in->rank, in->dims);
    for (int64_t i = 0; is_ready && i < count; i++) {
        takeReals(&mask, i, 1, &set);
        is_ready = set == 0 || used < left;
        values[i] = set != 0 && is_ready ? source[used++] : values[i];
    }
    aclError code = is_ready ? storeReals(in, values) : UNMAPPED;
    free(values);
    free(source);
    return code;
}

/* As torch_npu numbers them. */
enum reduction { NONE, SUM, PROD, MOST, LEAST, MEAN };

static double reduced(enum reduction how, double one, double other)
{
    switch (how) {
    case NONE:
        return other;
    case SUM:
    case MEAN:
        return one + other;
    case PROD:
        return one * other;
    case MOST:
        return one != one || other != other ? NAN : one > other ? one : other;
    default:
        return one != one || other != other ? NAN : one < other ? one : other;
    }
}

/* tensor, axis, index, source, how, whether the tensor's own elements take part, [result] */
static aclError scatterReduce(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *index = tensorAt(plan, 2), *source = tensorAt(plan, 3);
    const struct aclTensor *out = plan->row->arguments[0] == '=' ? in : tensorAt(plan, 6);
    int axis = axisOf(integerAt(plan, 1), in->rank);
    enum reduction how = (enum reduction)integerAt(plan, 4);
    int64_t count = operandCount(in), *numbers = integersOf(index), *seen = calloc((size_t)count + 1, sizeof *seen);
    double *values = realsOf(in), *written = realsOf(source);
    bool is_ready = numbers && seen && values && written, has_own = integerAt(plan, 5) != 0;
    for (int64_t i = 0; is_ready && i < operandCount(index); i++) {
        is_ready = in->rank == 0 || normalized(&numbers[i], in->dims[axis]);
        int64_t at = !is_ready || in->rank == 0 ? 0 : placeAlong(index, in, axis, i, numbers[i]);
        double value = written[source->rank == 0 || index->rank == 0 ? 0 : placeAlong(index, source, -1, i, 0)];
        values[at] = seen[at]++ == 0 && !has_own ? value : reduced(how, values[at], value);
    }
    for (int64_t i = 0; is_ready && how == MEAN && i < count; i++) {
        values[i] /= seen[i] == 0 ? 1 : (double)(seen[i] + has_own);
        values[i] = typeIsReal(in->type) ? values[i] : floor(values[i]);
    }
    aclError code = is_ready ? storeReals(out, values) : UNMAPPED;
    free(numbers);
    free(seen);
    free(values);
    free(written);
    return code;
}

/* gradient, how often each row was repeated, axis, result */
static aclError repeatGradient(const struct plan *plan)
{
    const struct aclTensor *up = tensorAt(plan, 0), *out = tensorAt(plan, 3);
    struct around from = aroundOf(up, integerAt(plan, 2)), to = aroundOf(out, integerAt(plan, 2));
    int64_t given = operandCount(tensorAt(plan, 1)), *times = integersOf(tensorAt(plan, 1));
    double *values = realsOf(up), *results = calloc((size_t)operandCount(out) + 1, sizeof *results);
    bool is_ready = values && results && times;
    for (int64_t before = 0; is_ready && before < to.before; before++) {
        int64_t at = 0;
        for (int64_t row = 0; row < to.size; row++) {
            for (int64_t count = times[given == 1 ? 0 : row]; count > 0 && at < from.size; count--, at++) {
                for (int64_t k = 0; k < to.after; k++) {
                    results[(before * to.size + row) * to.after + k] += values[(before * from.size + at) * from.after + k];
                }
            }
        }
    }
    aclError code = is_ready ? storeReals(out, results) : UNMAPPED;
    free(times);
    free(values);
    free(results);
    return code;
}

/* Rows of tokens into the slots of a cache of blocks, in row-major order. */
static aclError cacheRows(const struct aclTensor *rows, const struct aclTensor *cache, const int64_t *slots)
{
    int64_t width = cache->dims[2] * cache->dims[3], count = operandCount(rows) / (width == 0 ? 1 : width);
    double *values = realsOf(rows), *all = realsOf(cache);
    for (int64_t i = 0; values && all && i < count; i++) {
        if (slots[i] >= 0 && slots[i] < cache->dims[0] * cache->dims[1]) {
            memcpy(all + slots[i] * width, values + i * width, (size_t)width * sizeof *all);
        }
    }
    aclError code = values && all ? storeReals(cache, all) : UNMAPPED;
    free(values);
    free(all);
    return code;
}

/* keys, their cache, slots, values, their cache */
static aclError scatterPaged(const struct plan *plan)
{
    int64_t *slots = integersOf(tensorAt(plan, 2));
    aclError code = slots == NULL ? UNMAPPED : cacheRows(tensorAt(plan, 0), tensorAt(plan, 1), slots);
    code = code == ACL_SUCCESS ? cacheRows(tensorAt(plan, 3), tensorAt(plan, 4), slots) : code;
    free(slots);
    return code;
}

/* A row of keys and of values for each slot; caches in plain order, and nothing compressed. */
static bool pagedFits(const struct plan *plan)
{
    int64_t mode = integerAt(plan, 8), count = operandCount(tensorAt(plan, 2));
    for (int rows = 0; rows <= 3; rows += 3) {
        const struct aclTensor *cache = tensorAt(plan, rows + 1);
        if (operandCount(tensorAt(plan, rows)) != count * cache->dims[2] * cache->dims[3]) {
            return false;
        }
    }
    return tensorAt(plan, 5) == NULL && (mode == 0 || mode == ('N' | 'o' << 8 | 'r' << 16 | 'm' << 24));
}

static bool repeatFits(const struct plan *plan)
{
    struct around from = aroundOf(tensorAt(plan, 0), integerAt(plan, 2)), to = aroundOf(tensorAt(plan, 3), integerAt(plan, 2));
    int64_t given = operandCount(tensorAt(plan, 1));
    return from.before == to.before && from.after == to.after && (given == 1 || given == to.size);
}

#define ROW(operator, letters, function, what, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .code = what)

#define SCATTERED AXIS(1, 0), INDEX(2), INSIDE_BUT_AXIS(2, 0, 1), INSIDE(2, 3), WITHIN(4, NONE, MEAN)

const struct operator_row placedRows[] = {
    ROW("IndexCopy", "TnTTT", setRows, 0, AXIS(1, 0), INDEX(2), ROWS_OF(3, 0, 1, 2), AS_MANY(RESULT, 0)),
    ROW("InplaceIndexCopy", "=TnTT", setRows, 0, AXIS(1, 0), INDEX(2), ROWS_OF(3, 0, 1, 2)),
    ROW("IndexFill", "TnTST", setRows, 0, AXIS(1, 0), INDEX(2), AS_MANY(RESULT, 0)),
    ROW("IndexFillTensor", "TnIST", setRows, 0, AXIS(1, 0), FITS(numbersFit, "argument 3 has a number that is out of range"), AS_MANY(RESULT, 0)),
    ROW("InplaceIndexFillTensor", "=TnIS", setRows, 0, AXIS(1, 0), FITS(numbersFit, "argument 3 has a number that is out of range")),
    ROW("Take", "TTT", take, 0, INDEX(1), AS_MANY(2, 1)),
    ROW("InplacePut", "=TTTb", put, 0, INDEX(1), AS_MANY(2, 1)),
    ROW("InplaceMaskedScatter", "=TTT", maskedScatter, 0, SPREADS(1, 0)),
    ROW("ScatterReduce", "TnTTnbT", scatterReduce, 0, SCATTERED, AS_MANY(RESULT, 0)),
    ROW("InplaceScatterReduce", "=TnTTnb", scatterReduce, 0, SCATTERED),
    ROW("ScatterPaKvCache", "TTTTTtttqqii", scatterPaged, 0, INDEX(2), RANKS(1, 4, 4), RANKS(4, 4, 4), FITS(pagedFits, "arguments 1 and 4 have not a row for each slot, or the cache is in fractals or compressed")),
    ROW("RepeatInterleaveGrad", "TTnT", repeatGradient, 0, AXIS(2, 0), AXIS(2, 3), INDEX(1), FITS(repeatFits, "arguments 1, 2 and 4 have sizes that differ")),
    {0},
};
