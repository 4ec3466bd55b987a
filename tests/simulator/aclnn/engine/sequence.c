/* Connectionist temporal classification: the loss of sequences without an alignment, and its gradient. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

static double sumOfLogs(double a, double b)
{
    double most = a > b ? a : b;
    return most == -INFINITY ? most : most + log(exp(a - most) + exp(b - most));
}

/* Scores (time, batch, classes), and the labels of one example with blanks between them. */
struct example {
    const double *scores;
    int64_t batch, classes, at, blank;
    const int64_t *labels;
    int64_t time, length; /* length: labels and blanks */
};

static double scoreOf(const struct example *example, int64_t time, int64_t state)
{
    int64_t label = state % 2 == 0 ? example->blank : example->labels[state / 2];
    return example->scores[(time * example->batch + example->at) * example->classes + label];
}

/* A state may follow the one before the last if both are different labels. */
static bool mayJump(const struct example *example, int64_t state)
{
    return state % 2 == 1 && state >= 2 && example->labels[state / 2] != example->labels[state / 2 - 1];
}

static double forward(const struct example *example, double *alpha, int64_t width)
{
    for (int64_t t = 0; t < example->time; t++) {
        for (int64_t s = 0; s < example->length; s++) {
            double sum = t == 0 ? (s < 2 ? 0 : -INFINITY) : alpha[(t - 1) * width + s];
            if (t > 0 && s > 0) {
                sum = sumOfLogs(sum, alpha[(t - 1) * width + s - 1]);
            }
            if (t > 0 && mayJump(example, s)) {
                sum = sumOfLogs(sum, alpha[(t - 1) * width + s - 2]);
            }
            alpha[t * width + s] = sum + scoreOf(example, t, s);
        }
    }
    if (example->time == 0) {
        return example->length == 1 ? 0 : INFINITY;
    }
    const double *last = alpha + (example->time - 1) * width;
    return -(example->length > 1 ? sumOfLogs(last[example->length - 1], last[example->length - 2]) : last[0]);
}

/* Adds the states' shares up by label, from the end on. */
static void backward(const struct example *example, const double *alpha, int64_t width, double *beta, double *shares)
{
    for (int64_t t = example->time - 1; t >= 0; t--) {
        for (int64_t s = 0; s < example->length; s++) {
            bool is_last = t == example->time - 1;
            double sum = is_last ? (s >= example->length - 2 ? 0 : -INFINITY) : beta[(t + 1) * width + s];
            if (!is_last && s + 1 < example->length) {
                sum = sumOfLogs(sum, beta[(t + 1) * width + s + 1]);
            }
            if (!is_last && s + 2 < example->length && mayJump(example, s + 2)) {
                sum = sumOfLogs(sum, beta[(t + 1) * width + s + 2]);
            }
            beta[t * width + s] = sum + scoreOf(example, t, s);
            int64_t label = s % 2 == 0 ? example->blank : example->labels[s / 2];
            double *share = &shares[(t * example->batch + example->at) * example->classes + label];
            *share = sumOfLogs(*share, alpha[t * width + s] + beta[t * width + s]);
        }
    }
}

static struct example exampleOf(const struct aclTensor *scores, const double *values, const struct aclTensor *targets, const int64_t *labels,
                                const int64_t *times, const int64_t *lengths, int64_t blank, int64_t at)
{
    struct example example = {values, scores->dims[1], scores->dims[2], at, blank, labels, times[at], 2 * lengths[at] + 1};
    for (int64_t i = 0; i < at; i++) {
        example.labels += targets->rank == 1 ? lengths[i] : targets->dims[1];
    }
    return example;
}

/* Labels are classes; what is behind an example's length is not read. */
static bool labelsAreClasses(const int64_t *labels, int64_t count, int64_t classes)
{
    for (int64_t i = 0; i < count; i++) {
        if (labels[i] < 0 || labels[i] >= classes) {
            return false;
        }
    }
    return true;
}

/* scores, targets, their lengths, blank, whether infinity is zero, losses, alpha */
static aclError ctcLoss(const struct plan *plan)
{
    const struct aclTensor *scores = tensorAt(plan, 0), *targets = tensorAt(plan, 1), *to_alpha = tensorAt(plan, 7);
    int64_t batch = scores->dims[1], times = to_alpha->dims[1], width = to_alpha->dims[2];
    double *values = realsOf(scores), *losses = calloc((size_t)batch + 1, sizeof *losses);
    double *alpha = calloc((size_t)operandCount(to_alpha) + 1, sizeof *alpha);
    int64_t *labels = integersOf(targets);
    bool is_ready = values && losses && alpha && labels;
    for (int64_t at = 0; is_ready && at < batch; at++) {
        struct example example = exampleOf(scores, values, targets, labels, integersAt(plan, 2), integersAt(plan, 3), integerAt(plan, 4), at);
        is_ready = labelsAreClasses(example.labels, example.length / 2, example.classes);
        if (!is_ready) {
            break;
        }
        losses[at] = forward(&example, alpha + at * times * width, width);
        losses[at] = integerAt(plan, 5) != 0 && isinf(losses[at]) ? 0 : losses[at];
    }
    aclError code = is_ready ? storeReals(tensorAt(plan, 6), losses) : UNMAPPED;
    code = code == ACL_SUCCESS ? storeReals(to_alpha, alpha) : code;
    free(values);
    free(losses);
    free(alpha);
    free(labels);
    return code;
}

/* gradient, scores, targets, their lengths, losses, alpha, blank, whether infinity is zero, result */
static aclError ctcLossBackward(const struct plan *plan)
{
    const struct aclTensor *scores = tensorAt(plan, 1), *targets = tensorAt(plan, 2), *alphas = tensorAt(plan, 6), *out = tensorAt(plan, 9);
    int64_t batch = scores->dims[1], classes = scores->dims[2], times = alphas->dims[1], width = alphas->dims[2], count = operandCount(out);
    double *values = realsOf(scores), *up = realsOf(tensorAt(plan, 0)), *losses = realsOf(tensorAt(plan, 5)), *alpha = realsOf(alphas);
    double *shares = malloc(((size_t)count + 1) * sizeof *shares), *beta = malloc(((size_t)(times * width) + 1) * sizeof *beta);
    int64_t *labels = integersOf(targets);
    bool is_ready = values && up && losses && alpha && shares && beta && labels;
    for (int64_t i = 0; is_ready && i < count; i++) {
        shares[i] = -INFINITY;
    }
    for (int64_t at = 0; is_ready && at < batch; at++) {
        struct example example = exampleOf(scores, values, targets, labels, integersAt(plan, 3), integersAt(plan, 4), integerAt(plan, 7), at);
        is_ready = labelsAreClasses(example.labels, example.length / 2, example.classes);
        if (!is_ready) {
            break;
        }
        backward(&example, alpha + at * times * width, width, beta, shares);
        for (int64_t i = at * classes; i < count; i += batch * classes) {
            for (int64_t k = i; k < i + classes; k++) {
                bool is_within = k / classes / batch < example.time, is_none = integerAt(plan, 8) != 0 && isinf(losses[at]);
                shares[k] = !is_within || is_none ? 0 : (exp(values[k]) - exp(shares[k] + losses[at] - values[k])) * up[at];
            }
        }
    }
    aclError code = is_ready ? storeReals(out, shares) : UNMAPPED;
    free(values);
    free(up);
    free(losses);
    free(alpha);
    free(shares);
    free(beta);
    free(labels);
    return code;
}

static bool lengthsFit(const struct plan *plan)
{
    bool is_backward = plan->row->compute == ctcLossBackward;
    int at = is_backward ? 3 : 2;
    const struct aclTensor *scores = tensorAt(plan, is_backward), *targets = tensorAt(plan, is_backward + 1), *alpha = tensorAt(plan, is_backward ? 6 : 7);
    const struct aclTensor *losses = tensorAt(plan, is_backward ? 5 : 6);
    int64_t batch = scores->dims[1], labels = 0, blank = integerAt(plan, is_backward ? 7 : 4);
    if (alpha->dims[0] != batch || operandCount(losses) != batch || (is_backward && operandCount(tensorAt(plan, 0)) != batch) || countAt(plan, at) != batch ||
        countAt(plan, at + 1) != batch || (targets->rank == 2 && targets->dims[0] != batch)) {
        return refuse("lengths, targets, losses or alpha are not those of a batch of %lld", (long long)batch);
    }
    if (blank < 0 || blank >= scores->dims[2]) {
        return refuse("the blank is %lld, not a class of scores of shape %s", (long long)blank, shapeText(scores));
    }
    for (int64_t i = 0; i < batch; i++) {
        int64_t time = integersAt(plan, at)[i], length = integersAt(plan, at + 1)[i], most = targets->dims[targets->rank - 1];
        if (time < 0 || time > scores->dims[0] || time > alpha->dims[1] || length < 0 || length > most || 2 * length + 1 > alpha->dims[2]) {
            return refuse("example %lld has %lld steps and %lld labels, more than scores of shape %s or alpha of shape %s", (long long)i, (long long)time,
                          (long long)length, shapeText(scores), shapeText(alpha));
        }
        labels += length;
    }
    return targets->rank == 2 || labels <= targets->dims[0] || refuse("the lengths name %lld labels, the targets of shape %s have fewer", (long long)labels, shapeText(targets));
}
#define LENGTHS "the lengths do not fit"

const struct operator_row sequenceRows[] = {
    OPERATOR("CtcLoss", "TTIInbTT", ctcLoss, CHECKS(RANKS(0, 3, 3), RANKS(1, 1, 2), INDEX(1), RANKS(7, 3, 3), FITS(lengthsFit, LENGTHS))),
    OPERATOR("CtcLossBackward", "TTTIITTnbT", ctcLossBackward, CHECKS(RANKS(1, 3, 3), RANKS(2, 1, 2), INDEX(2), RANKS(6, 3, 3), AS_MANY(9, 1), FITS(lengthsFit, LENGTHS))),
    {0},
};
