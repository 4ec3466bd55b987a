/* Order statistics: medians, the k-th smallest, running extremes, places in sorted rows, histograms. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

struct item {
    double value;
    int64_t place;
};

/* Not-a-number is the largest. */
static int compare(const void *left, const void *right)
{
    const struct item *one = left, *other = right;
    bool is_nan = one->value != one->value, is_other_nan = other->value != other->value;
    int order = is_nan || is_other_nan ? is_nan - is_other_nan : (one->value > other->value) - (one->value < other->value);
    return order != 0 ? order : (one->place > other->place) - (one->place < other->place);
}

/* A tensor whose axis comes last: rows of `length` elements. */
struct rows {
    struct spread in;
    int order[RANK];
    int64_t length, count;
};

static bool rowsOf(struct rows *rows, const struct aclTensor *in, int64_t given)
{
    int axis = axisOf(given, in->rank), at = 0;
    for (int i = 0; i < in->rank; i++) {
        if (i != axis) {
            rows->order[at++] = i;
        }
    }
    rows->order[at] = axis;
    rows->length = in->rank == 0 ? 1 : in->dims[axis];
    bool is_mapped = spreadOrdered(&rows->in, in, rows->order);
    rows->count = rows->length == 0 ? 0 : rows->in.count / rows->length;
    return is_mapped;
}

enum which { MEDIAN, NAN_MEDIAN, KTH };

/* Sorts a row and names the element that is asked for. */
static struct item chosen(const double *row, int64_t length, enum which which, int64_t k, struct item *items)
{
    int64_t numbers = 0;
    for (int64_t i = 0; i < length; i++) {
        items[i] = (struct item){row[i], i};
        numbers += row[i] == row[i];
    }
    qsort(items, (size_t)length, sizeof *items, compare);
    if (which == KTH) {
        return items[k - 1];
    }
    if (which == MEDIAN) {
        return items[numbers < length ? numbers : (length - 1) / 2];
    }
    return items[numbers == 0 ? 0 : (numbers - 1) / 2];
}

static aclError statistic(const struct aclTensor *in, int64_t axis, enum which which, int64_t k, const struct aclTensor *values,
                          const struct aclTensor *places)
{
    struct rows rows;
    bool is_ready = rowsOf(&rows, in, axis);
    double *row = malloc(((size_t)rows.length + 1) * sizeof *row), *results = malloc(((size_t)rows.count + 1) * sizeof *results);
    int64_t *where = malloc(((size_t)rows.count + 1) * sizeof *where);
    struct item *items = malloc(((size_t)rows.length + 1) * sizeof *items);
    is_ready = is_ready && row && results && where && items;
    for (int64_t i = 0; is_ready && i < rows.count; i++) {
        takeReals(&rows.in, i * rows.length, rows.length, row);
        struct item item = chosen(row, rows.length, which, k, items);
        results[i] = item.value;
        where[i] = item.place;
    }
    aclError code = !is_ready ? UNMAPPED : rows.count == 0 && operandCount(values) > 0 ? ACL_SUCCESS : storeReals(values, results);
    code = code == ACL_SUCCESS && places && rows.count > 0 ? storeIntegers(places, where) : code;
    free(row);
    free(results);
    free(where);
    free(items);
    return code;
}

/* tensor, result */
static aclError median(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    int64_t count = operandCount(in);
    double *values = realsOf(in), result;
    struct item *items = malloc(((size_t)count + 1) * sizeof *items);
    aclError code = UNMAPPED;
    if (values && items) {
        result = count > 0 ? chosen(values, count, (enum which)plan->row->code, 0, items).value : NAN;
        code = storeReals(tensorAt(plan, 1), &result);
    }
    free(values);
    free(items);
    return code;
}

/* tensor, axis, keep, values, places */
static aclError medianAlong(const struct plan *plan)
{
    return statistic(tensorAt(plan, 0), integerAt(plan, 1), (enum which)plan->row->code, 0, tensorAt(plan, 3), tensorAt(plan, 4));
}

/* tensor, k, axis, keep, values, places */
static aclError kth(const struct plan *plan)
{
    return statistic(tensorAt(plan, 0), integerAt(plan, 2), KTH, integerAt(plan, 1), tensorAt(plan, 4), tensorAt(plan, 5));
}

/* tensor, axis, values, places: the largest (code 1) or smallest so far, the last of equal ones */
static aclError runningExtreme(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    struct rows rows;
    struct spread to, where;
    bool is_ready = rowsOf(&rows, in, integerAt(plan, 1)), is_most = plan->row->code == 1;
    is_ready = is_ready && spreadOrdered(&to, tensorAt(plan, 2), rows.order) && spreadOrdered(&where, tensorAt(plan, 3), rows.order);
    double *row = malloc(((size_t)rows.length + 1) * sizeof *row);
    int64_t *places = malloc(((size_t)rows.length + 1) * sizeof *places);
    is_ready = is_ready && row && places;
    for (int64_t i = 0; is_ready && i < rows.count; i++) {
        takeReals(&rows.in, i * rows.length, rows.length, row);
        places[0] = 0;
        for (int64_t k = 1; k < rows.length; k++) {
            double last = row[k - 1];
            bool is_new = row[k] != row[k] || (last == last && (is_most ? row[k] >= last : row[k] <= last));
            places[k] = is_new ? k : places[k - 1];
            row[k] = is_new ? row[k] : last;
        }
        putReals(&to, i * rows.length, rows.length, row);
        putIntegers(&where, i * rows.length, rows.length, places);
    }
    free(row);
    free(places);
    return is_ready ? ACL_SUCCESS : UNMAPPED;
}

static bool isBefore(double sorted, double value, bool is_right)
{
    if (value != value) {
        return sorted == sorted || is_right;
    }
    return is_right ? sorted <= value : sorted < value;
}

/* sorted rows, values (a tensor or a number), unused, right, order, result */
static aclError search(const struct plan *plan)
{
    const struct aclTensor *sorted = tensorAt(plan, 0), *asked = tensorAt(plan, 1), *order = tensorAt(plan, 4), *out = tensorAt(plan, 5);
    int64_t length = sorted->rank == 0 ? 1 : sorted->dims[sorted->rank - 1], count = operandCount(out);
    int64_t width = asked == NULL || asked->rank == 0 ? 1 : asked->dims[asked->rank - 1];
    double *rows = realsOf(sorted), *values = asked ? realsOf(asked) : NULL;
    int64_t *places = order && operandCount(order) > 0 ? integersOf(order) : NULL, *results = malloc(((size_t)count + 1) * sizeof *results);
    bool is_ready = rows && results && (!asked || values);
    for (int64_t i = 0; is_ready && i < count; i++) {
        int64_t row = sorted->rank <= 1 ? 0 : i / width, low = 0, high = length;
        double value = values ? values[i] : numberAt(plan, 1);
        while (is_ready && low < high) {
            int64_t middle = (low + high) / 2, at = row * length + middle, place = places ? places[at] : middle;
            is_ready = place >= 0 && place < length;
            double here = is_ready ? rows[row * length + place] : 0;
            if (isBefore(here, value, integerAt(plan, 3) != 0)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        results[i] = low;
    }
    aclError code = is_ready ? storeIntegers(out, results) : UNMAPPED;
    free(rows);
    free(values);
    free(places);
    free(results);
    return code;
}

/* tensor, bins, least, most, result; equal bounds are the tensor's own */
static aclError histogram(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    int64_t bins = integerAt(plan, 1), count = operandCount(in);
    double *values = realsOf(in), *sums = calloc((size_t)bins + 1, sizeof *sums), low = numberAt(plan, 2), high = numberAt(plan, 3);
    bool is_ready = values && sums;
    if (is_ready && low == high && count > 0) {
        low = INFINITY;
        high = -INFINITY;
        for (int64_t i = 0; i < count; i++) {
            low = values[i] < low ? values[i] : low;
            high = values[i] > high ? values[i] : high;
        }
    }
    if (low == high) {
        low -= 1;
        high += 1;
    }
    for (int64_t i = 0; is_ready && i < count; i++) {
        if (values[i] >= low && values[i] <= high) {
            int64_t bin = wholeOf((values[i] - low) / (high - low) * (double)bins);
            sums[bin < 0 ? 0 : bin < bins ? bin : bins - 1]++;
        }
    }
    aclError code = is_ready ? storeReals(tensorAt(plan, 4), sums) : UNMAPPED;
    free(values);
    free(sums);
    return code;
}

/* The values to look for have the rows' batches, or the rows are one. */
static bool searchFits(const struct plan *plan)
{
    const struct aclTensor *sorted = tensorAt(plan, 0), *asked = tensorAt(plan, 1);
    bool fits = sorted->rank <= 1 || (asked != NULL && asked->rank == sorted->rank);
    for (int axis = 0; fits && axis < sorted->rank - 1; axis++) {
        fits = asked->dims[axis] == sorted->dims[axis];
    }
    return fits;
}
#define SEARCHED "argument 1 has other rows than argument 2"

#define ROW(operator, letters, function, which, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .code = which)

const struct operator_row orderRows[] = {
    ROW("Median", "TT", median, MEDIAN, REDUCED(1, 0, EVERY_AXIS)),
    ROW("NanMedian", "TT", median, NAN_MEDIAN, REDUCED(1, 0, EVERY_AXIS)),
    ROW("MedianDim", "TnbTT", medianAlong, MEDIAN, AXIS(1, 0), REDUCED(3, 0, 1), REDUCED(4, 0, 1)),
    ROW("NanMedianDim", "TnbTT", medianAlong, NAN_MEDIAN, AXIS(1, 0), REDUCED(3, 0, 1), REDUCED(4, 0, 1)),
    ROW("Kthvalue", "TnnbTT", kth, 0, AXIS(2, 0), K_FITS(1, 0, 2, 1), REDUCED(4, 0, 2), REDUCED(5, 0, 2)),
    ROW("Cummax", "TnTT", runningExtreme, 1, AXIS(1, 0), SAME(2, 0), SAME(3, 0)),
    ROW("Cummin", "TnTT", runningExtreme, 0, AXIS(1, 0), SAME(2, 0), SAME(3, 0)),
    ROW("SearchSorted", "TTbbtT", search, 0, FITS(searchFits, SEARCHED), AS_MANY(5, 1), AS_MANY_IF_ANY(4, 0), INDEX(4)),
    ROW("SearchSorteds", "TSbbtT", search, 0, FITS(searchFits, SEARCHED), SINGLE(5), AS_MANY_IF_ANY(4, 0), INDEX(4)),
    ROW("Histc", "TnSST", histogram, 0, WITHIN(1, 1, INT32_MAX), COUNTED(4, 1)),
    {0},
};
