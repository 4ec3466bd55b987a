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

#define ROW(operator, letters, function) {.name = operator, .arguments = letters, .compute = function}

const struct operator_row embeddingRows[] = {
    ROW("Embedding", "TTT", embedding),
    ROW("EmbeddingDenseBackward", "TTnnbT", gradient),
    {0},
};
