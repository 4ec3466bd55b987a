/* Margins between labels and other classes. */
#include <stdlib.h>

#include "operator.h"

/* scores, labels up to the first negative one, reduction, result, which classes are labels */
static aclError labels(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 3);
    int64_t classes = in->rank == 0 ? 1 : in->dims[in->rank - 1], count = operandCount(in), rows = classes == 0 ? 0 : count / classes;
    int64_t *target = integersOf(tensorAt(plan, 1)), reduction = integerAt(plan, 2);
    double *scores = realsOf(in), *losses = calloc((size_t)rows + 1, sizeof *losses), *is_label = calloc((size_t)count + 1, sizeof *is_label), sum = 0;
    bool is_ready = target && scores && losses && is_label;
    for (int64_t row = 0; is_ready && row < rows; row++) {
        const int64_t *own = target + row * classes;
        double *score = scores + row * classes, *set = is_label + row * classes;
        for (int64_t i = 0; i < classes && own[i] >= 0 && own[i] < classes; i++) {
            set[own[i]] = 1;
        }
        for (int64_t i = 0; i < classes && own[i] >= 0 && own[i] < classes; i++) {
            for (int64_t other = 0; other < classes; other++) {
                double margin = 1 - (score[own[i]] - score[other]);
                losses[row] += set[other] != 0 || margin < 0 ? 0 : margin / (double)classes;
            }
        }
        sum += losses[row];
    }
    sum = reduction == 1 ? sum / (double)rows : sum;
    aclError code = is_ready ? storeReals(out, reduction == 0 ? losses : &sum) : UNMAPPED;
    code = code == ACL_SUCCESS ? storeReals(tensorAt(plan, 4), is_label) : code;
    free(target);
    free(scores);
    free(losses);
    free(is_label);
    return code;
}

static bool lossesFit(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    int64_t classes = in->rank == 0 ? 1 : in->dims[in->rank - 1], reduction = integerAt(plan, 2);
    int64_t rows = reduction != 0 ? 1 : classes == 0 ? 0 : operandCount(in) / classes;
    return reduction >= 0 && reduction <= 2 && operandCount(tensorAt(plan, 3)) == rows;
}

const struct operator_row marginRows[] = {
    OPERATOR("MultilabelMarginLoss", "TTnTT", labels, CHECKS(AS_MANY(1, 0), INDEX(1), AS_MANY(4, 0), FITS(lossesFit, "argument 4 has not one element, or one for each row if argument 3 is 0"))),
    {0},
};
