/* Softmax and its logarithm along a dimension, and their gradients. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

struct rows {
    struct spread one, two, out;
    int64_t length;
    bool is_log, is_gradient, has_room;
};

static void forward(double *row, int64_t length, bool is_log)
{
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < length; i++) {
        most = row[i] > most ? row[i] : most;
    }
    for (int64_t i = 0; i < length; i++) {
        sum += exp(row[i] - most);
    }
    for (int64_t i = 0; i < length; i++) {
        row[i] = is_log ? row[i] - most - log(sum) : exp(row[i] - most) / sum;
    }
}

static void backward(double *gradient, const double *result, int64_t length, bool is_log)
{
    double sum = 0;
    for (int64_t i = 0; i < length; i++) {
        sum += is_log ? gradient[i] : gradient[i] * result[i];
    }
    for (int64_t i = 0; i < length; i++) {
        gradient[i] = is_log ? gradient[i] - exp(result[i]) * sum : result[i] * (gradient[i] - sum);
    }
}

static void part(void *argument, int64_t from, int64_t to)
{
    struct rows *rows = argument;
    size_t room = ((size_t)rows->length + 1) * sizeof(double);
    double *one = malloc(room), *two = malloc(room);
    if (one == NULL || two == NULL) {
        rows->has_room = false;
        to = from;
    }
    for (int64_t row = from; row < to; row++) {
        takeReals(&rows->one, row * rows->length, rows->length, one);
        if (rows->is_gradient) {
            takeReals(&rows->two, row * rows->length, rows->length, two);
            backward(one, two, rows->length, rows->is_log);
        } else {
            forward(one, rows->length, rows->is_log);
        }
        putReals(&rows->out, row * rows->length, rows->length, one);
    }
    free(one);
    free(two);
}

static aclError softmax(const struct plan *plan)
{
    struct rows rows = {.is_log = plan->row->code & 1, .is_gradient = plan->row->code & 2, .has_room = true};
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[plan->count - 1];
    int axis = axisOf(integerAt(plan, rows.is_gradient ? 2 : 1), in->rank), order[RANK], at = 0;
    for (int i = 0; i < in->rank; i++) {
        if (i != axis) {
            order[at++] = i;
        }
    }
    if (in->rank > 0) {
        order[at] = axis;
    }
    rows.length = in->rank == 0 ? 1 : in->dims[axis];
    bool is_mapped = spreadOrdered(&rows.one, in, order) && spreadOrdered(&rows.out, out, order);
    is_mapped = is_mapped && (!rows.is_gradient || spreadOrdered(&rows.two, &plan->operands[1], order));
    if (is_mapped && rows.length > 0) {
        inParallel(rows.one.count / rows.length, 40.0 * (double)rows.length, part, &rows);
    }
    return !is_mapped ? UNMAPPED : rows.has_room ? ACL_SUCCESS : NO_ROOM;
}

/* logits, probabilities of classes, loss of each row, gradient */
static aclError crossEntropy(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0);
    int64_t count = in->dims[0], length = in->dims[1];
    double *rows = realsOf(in), *labels = realsOf(tensorAt(plan, 1)), *losses = calloc((size_t)count + 1, sizeof *losses);
    bool is_ready = rows && labels && losses;
    for (int64_t row = 0; is_ready && row < count; row++) {
        forward(rows + row * length, length, true);
        for (int64_t i = row * length; i < (row + 1) * length; i++) {
            losses[row] -= labels[i] == 0 ? 0 : labels[i] * rows[i];
            rows[i] = exp(rows[i]) - labels[i];
        }
    }
    aclError code = is_ready ? storeReals(tensorAt(plan, 2), losses) : UNMAPPED;
    code = code == ACL_SUCCESS ? storeReals(tensorAt(plan, 3), rows) : code;
    free(rows);
    free(labels);
    free(losses);
    return code;
}

static bool lossesFit(const struct plan *plan)
{
    return operandCount(tensorAt(plan, 2)) == tensorAt(plan, 0)->dims[0];
}

#define ROW(operator, letters, bits, ...) OPERATOR(operator, letters, softmax, CHECKS(__VA_ARGS__), .code = bits)

const struct operator_row softmaxRows[] = {
    ROW("Softmax", "TnT", 0, AXIS(1, 0), SAME(2, 0)),
    ROW("LogSoftmax", "TnT", 1, AXIS(1, 0), SAME(2, 0)),
    ROW("SoftmaxBackward", "TTnT", 2, AXIS(2, 0), SAME(1, 0), SAME(3, 0)),
    ROW("LogSoftmaxBackward", "TTnT", 3, AXIS(2, 0), SAME(1, 0), SAME(3, 0)),
    OPERATOR("SoftmaxCrossEntropyWithLogits", "TTTT", crossEntropy,
             CHECKS(RANKS(0, 2, 2), SAME(1, 0), SAME(3, 0), FITS(lossesFit, "argument 3 has not a loss for each row of argument 1"))),
    {0},
};
