/* Rows of a table by number, and the gradient of the table. */
#include <stdlib.h>

#include "operator.h"

/* table, numbers, result */
static aclError embedding(const struct plan *plan)
{
    const struct aclTensor *table = &plan->operands[0];
    struct spread rows, out;
    int64_t *numbers = integersOf(&plan->operands[1]), width = table->dims[1];
    double *row = malloc(((size_t)width + 1) * sizeof *row);
    bool is_ready = numbers && row && spreadOf(&rows, table) && spreadOf(&out, &plan->operands[2]);
    for (int64_t i = 0; is_ready && width > 0 && i < out.count / width; i++) {
        is_ready = numbers[i] >= 0 && numbers[i] < table->dims[0];
        if (is_ready) {
            takeReals(&rows, numbers[i] * width, width, row);
            putReals(&out, i * width, width, row);
        }
    }
    free(numbers);
    free(row);
    return is_ready ? ACL_SUCCESS : UNMAPPED;
}

/* gradient, numbers, how many rows, the row of padding, whether by frequency, result */
static aclError gradient(const struct plan *plan)
{
    const struct aclTensor *out = &plan->operands[2];
    int64_t width = out->dims[1], rows = out->dims[0], *numbers = integersOf(&plan->operands[1]);
    int64_t count = operandCount(&plan->operands[1]), padding = integerAt(plan, 3);
    double *up = realsOf(&plan->operands[0]), *sums = calloc((size_t)(rows * width) + 1, sizeof *sums);
    double *times = calloc((size_t)rows + 1, sizeof *times);
    bool is_ready = numbers && up && sums && times;
    for (int64_t i = 0; is_ready && i < count; i++) {
        is_ready = numbers[i] >= 0 && numbers[i] < rows;
        if (is_ready) {
            times[numbers[i]]++;
        }
    }
    for (int64_t i = 0; is_ready && i < count; i++) {
        double part = integerAt(plan, 4) != 0 ? 1 / times[numbers[i]] : 1;
        for (int64_t k = 0; k < width && numbers[i] != padding; k++) {
            sums[numbers[i] * width + k] += part * up[i * width + k];
        }
    }
    aclError code = is_ready ? storeReals(out, sums) : UNMAPPED;
    free(numbers);
    free(up);
    free(sums);
    free(times);
    return code;
}

enum { BAG_SUM, BAG_MEAN, BAG_MOST };

/* weight, numbers, starts of bags, by frequency, mode, sparse, weights of the examples, whether the last start is an end, padding,
 * result, bag of each number, sizes, places of the largest */
static aclError bags(const struct plan *plan)
{
    const struct aclTensor *table = tensorAt(plan, 0), *out = tensorAt(plan, 9);
    int64_t rows = table->dims[0], width = table->dims[1], count = operandCount(tensorAt(plan, 1)), padding = integerAt(plan, 8);
    int64_t bag_count = out->dims[0], given = operandCount(tensorAt(plan, 2)), mode = integerAt(plan, 4);
    int64_t *numbers = integersOf(tensorAt(plan, 1)), *starts = integersOf(tensorAt(plan, 2));
    double *values = realsOf(table), *scale = tensorAt(plan, 6) ? realsOf(tensorAt(plan, 6)) : NULL;
    double *sums = calloc((size_t)operandCount(out) + 1, sizeof *sums);
    int64_t *sizes = calloc((size_t)bag_count + 1, sizeof *sizes), *owners = calloc((size_t)count + 1, sizeof *owners);
    int64_t *places = calloc((size_t)operandCount(out) + 1, sizeof *places);
    bool is_ready = numbers && starts && values && sums && sizes && owners && places && (!tensorAt(plan, 6) || scale);
    for (int64_t bag = 0; is_ready && bag < bag_count; bag++) {
        int64_t end = bag + 1 < given ? starts[bag + 1] : count;
        double *sum = sums + bag * width;
        is_ready = starts[bag] >= 0 && end <= count;
        for (int64_t i = starts[bag]; is_ready && i < end; i++) {
            owners[i] = bag;
            is_ready = numbers[i] >= 0 && numbers[i] < rows;
            if (!is_ready || numbers[i] == padding) {
                continue;
            }
            const double *row = values + numbers[i] * width;
            for (int64_t k = 0; k < width; k++) {
                bool is_new = sizes[bag] == 0 || row[k] > sum[k];
                places[bag * width + k] = is_new ? numbers[i] : places[bag * width + k];
                sum[k] = mode != BAG_MOST ? sum[k] + row[k] * (scale ? scale[i] : 1) : is_new ? row[k] : sum[k];
            }
            sizes[bag]++;
        }
        for (int64_t k = 0; mode == BAG_MEAN && sizes[bag] > 0 && k < width; k++) {
            sum[k] /= (double)sizes[bag];
        }
    }
    aclError code = is_ready ? storeReals(out, sums) : UNMAPPED;
    code = code == ACL_SUCCESS && operandCount(tensorAt(plan, 10)) == count ? storeIntegers(tensorAt(plan, 10), owners) : code;
    code = code == ACL_SUCCESS && operandCount(tensorAt(plan, 11)) == bag_count ? storeIntegers(tensorAt(plan, 11), sizes) : code;
    code = code == ACL_SUCCESS && mode == BAG_MOST && operandCount(tensorAt(plan, 12)) == operandCount(out) ? storeIntegers(tensorAt(plan, 12), places) : code;
    free(numbers);
    free(starts);
    free(values);
    free(scale);
    free(sums);
    free(sizes);
    free(owners);
    free(places);
    return code;
}

static bool rowsFit(const struct plan *plan)
{
    bool is_backward = plan->row->compute == gradient;
    const struct aclTensor *table = &plan->operands[is_backward ? 2 : 0], *rows = &plan->operands[is_backward ? 0 : 2];
    return operandCount(rows) == operandCount(&plan->operands[1]) * table->dims[1];
}

static bool bagsFit(const struct plan *plan)
{
    return tensorAt(plan, 9)->dims[0] <= operandCount(tensorAt(plan, 2));
}

#define ROW(operator, letters, function, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__))

const struct operator_row embeddingRows[] = {
    ROW("Embedding", "TTT", embedding, RANKS(0, 2, 2), INDEX(1), FITS(rowsFit, "argument 3 has not a row of argument 1 for each number of argument 2")),
    ROW("EmbeddingBag", "TTTbnbtbnTTTT", bags, RANKS(0, 2, 2), INDEX(1), INDEX(2), WITHIN(4, BAG_SUM, BAG_MOST), AS_MANY(6, 1), RANKS(9, 2, 2), SIZES(9, 1, 0, 1), FITS(bagsFit, "argument 10 has more rows than argument 3 has starts")),
    ROW("EmbeddingDenseBackward", "TTnnbT", gradient, RANKS(5, 2, 2), INDEX(1), FITS(rowsFit, "argument 1 has not a row of argument 6 for each number of argument 2")),
    {0},
};
