/* Losses: of pairs of elements, and of classes. Reductions: 0 none, 1 mean, 2 sum. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

enum pair { SQUARE, ABSOLUTE, SMOOTH, CROSS, LOGITS, DIVERGENCE, DIVERGENCE_OF_LOGS, SOFT_MARGIN };

static double loss(enum pair pair, double x, double y, double beta)
{
    double distance = fabs(x - y);
    switch (pair) {
    case SQUARE:
        return distance * distance;
    case ABSOLUTE:
        return distance;
    case SMOOTH:
        return distance < beta ? 0.5 * distance * distance / beta : distance - 0.5 * beta;
    case CROSS:
        return -(y * fmax(log(x), -100) + (1 - y) * fmax(log1p(-x), -100));
    case LOGITS:
        return (1 - y) * x + log1p(exp(-fabs(x))) + fmax(-x, 0);
    case DIVERGENCE:
        return y > 0 ? y * (log(y) - x) : 0;
    case SOFT_MARGIN:
        return log1p(exp(-y * x));
    default:
        return exp(y) * (y - x);
    }
}

static double slope(enum pair pair, double x, double y, double beta)
{
    double distance = x - y;
    switch (pair) {
    case SQUARE:
        return 2 * distance;
    case ABSOLUTE:
        return (distance > 0) - (distance < 0);
    case SMOOTH:
        return fabs(distance) < beta ? distance / beta : (distance > 0) - (distance < 0);
    case DIVERGENCE:
        return y > 0 ? -y : 0;
    case DIVERGENCE_OF_LOGS:
        return -exp(y);
    case SOFT_MARGIN:
        return -y / (1 + exp(y * x));
    case CROSS:
        return distance / fmax(x * (1 - x), 1e-12);
    default:
        return 1 / (1 + exp(-x)) - y;
    }
}

/* All elements of a tensor, broadcast to another; NULL if unmapped or without memory. */
static double *spreadReals(const struct aclTensor *tensor, const struct aclTensor *whole)
{
    struct spread spread;
    double *values = spreadOver(&spread, tensor, whole->rank, whole->dims) ? malloc(((size_t)spread.count + 1) * sizeof *values) : NULL;
    if (values != NULL && spread.count > 0) {
        takeReals(&spread, 0, spread.count, values);
    }
    return values;
}

static aclError reduced(double *losses, int64_t count, int64_t reduction, const struct aclTensor *out)
{
    if (reduction == 0) {
        return storeReals(out, losses);
    }
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += losses[i];
    }
    sum = reduction == 1 ? sum / (double)count : sum;
    return storeReals(out, &sum);
}

/* The last number of the arguments before the result is what a smooth loss needs. */
static aclError pairLoss(const struct plan *plan)
{
    const struct aclTensor *x = tensorAt(plan, 0), *y = tensorAt(plan, 1), *out = &plan->operands[plan->count - 1];
    bool has_weight = argumentAt(plan, 2)->kind == 't';
    const struct aclTensor *weight = has_weight ? tensorAt(plan, 2) : NULL;
    const struct aclTensor *positive = argumentAt(plan, 3)->kind == 't' ? tensorAt(plan, 3) : NULL;
    int at = has_weight ? (argumentAt(plan, 3)->kind == 't' ? 4 : 3) : 2;
    int64_t count = operandCount(x);
    enum pair pair = (enum pair)plan->row->code;
    pair = pair == DIVERGENCE && integerAt(plan, at + 1) != 0 ? DIVERGENCE_OF_LOGS : pair;
    double *one = realsOf(x), *other = spreadReals(y, x), *scale = weight ? spreadReals(weight, x) : NULL;
    double *more = positive ? spreadReals(positive, x) : NULL;
    aclError code = UNMAPPED;
    if (one && other && (!weight || scale) && (!positive || more)) {
        for (int64_t i = 0; i < count; i++) {
            double factor = scale ? scale[i] : 1;
            if (more) { /* the weight of positive examples */
                double log_weight = 1 + (more[i] - 1) * other[i];
                one[i] = (1 - other[i]) * one[i] + log_weight * (log1p(exp(-fabs(one[i]))) + fmax(-one[i], 0));
            } else {
                one[i] = loss(pair, one[i], other[i], numberAt(plan, at + 1));
            }
            one[i] *= factor;
        }
        code = reduced(one, count, integerAt(plan, at), out);
    }
    free(one);
    free(other);
    free(scale);
    free(more);
    return code;
}

/* gradient of the result, x, y, [weight, [weight of positive examples,]] reduction, [beta,] result */
static aclError pairGradient(const struct plan *plan)
{
    const struct aclTensor *x = tensorAt(plan, 1), *out = &plan->operands[plan->count - 1];
    const struct aclTensor *weight = argumentAt(plan, 3)->kind == 't' ? tensorAt(plan, 3) : NULL;
    const struct aclTensor *positive = argumentAt(plan, 4)->kind == 't' ? tensorAt(plan, 4) : NULL;
    int at = argumentAt(plan, 3)->kind != 't' ? 3 : argumentAt(plan, 4)->kind != 't' ? 4 : 5;
    int64_t count = operandCount(x);
    double *up = spreadReals(tensorAt(plan, 0), x), *one = realsOf(x), *other = spreadReals(tensorAt(plan, 2), x);
    double *scale = weight ? spreadReals(weight, x) : NULL, *more = positive ? spreadReals(positive, x) : NULL;
    aclError code = UNMAPPED;
    if (up && one && other && (!weight || scale) && (!positive || more)) {
        double part = integerAt(plan, at) == 1 ? 1 / (double)count : 1;
        enum pair pair = (enum pair)plan->row->code;
        pair = pair == DIVERGENCE && integerAt(plan, at + 1) != 0 ? DIVERGENCE_OF_LOGS : pair;
        for (int64_t i = 0; i < count; i++) {
            double step = slope(pair, one[i], other[i], numberAt(plan, at + 1));
            if (more) {
                double log_weight = 1 + (more[i] - 1) * other[i];
                step = (1 - other[i]) - log_weight / (1 + exp(one[i]));
            }
            one[i] = up[i] * step * part * (scale ? scale[i] : 1);
        }
        code = storeReals(out, one);
    }
    free(up);
    free(one);
    free(other);
    free(scale);
    free(more);
    return code;
}

/* gradient of the result, x, target, reduction, whether the target is a logarithm, the target's gradient */
static aclError divergenceTarget(const struct plan *plan)
{
    const struct aclTensor *target = tensorAt(plan, 2), *out = tensorAt(plan, 5);
    double *up = spreadReals(tensorAt(plan, 0), target), *x = spreadReals(tensorAt(plan, 1), target), *y = realsOf(target);
    int64_t count = operandCount(target);
    double part = integerAt(plan, 3) == 1 ? 1 / (double)count : 1;
    bool is_log = integerAt(plan, 4) != 0;
    for (int64_t i = 0; up && x && y && i < count; i++) {
        double step = is_log ? exp(y[i]) * (y[i] + 1 - x[i]) : y[i] > 0 ? log(y[i]) + 1 - x[i] : 0;
        up[i] *= step * part;
    }
    aclError code = up && x && y ? storeReals(out, up) : UNMAPPED;
    free(up);
    free(x);
    free(y);
    return code;
}

/* Where the class of an example is: the second axis of two and more, else the only one. */
struct classes {
    int64_t batch, count, inner;
};

static struct classes classesOf(const struct aclTensor *scores)
{
    struct classes classes = {1, scores->rank == 1 ? scores->dims[0] : scores->dims[1], 1};
    classes.batch = scores->rank == 1 ? 1 : scores->dims[0];
    for (int axis = 2; axis < scores->rank; axis++) {
        classes.inner *= scores->dims[axis];
    }
    return classes;
}

/* scores, target, weight, reduction, ignored class, result, total weight */
static aclError classLoss(const struct plan *plan)
{
    const struct aclTensor *scores = tensorAt(plan, 0), *weight = tensorAt(plan, 2);
    int64_t ignored = integerAt(plan, 4), reduction = integerAt(plan, 3);
    struct classes classes = classesOf(scores);
    double *score = realsOf(scores), *weights = weight ? realsOf(weight) : NULL, total = 0, sum = 0;
    int64_t *target = integersOf(tensorAt(plan, 1));
    aclError code = UNMAPPED;
    if (score && target && (!weight || weights)) {
        double *losses = calloc((size_t)(classes.batch * classes.inner) + 1, sizeof *losses);
        for (int64_t i = 0; losses && i < classes.batch * classes.inner; i++) {
            int64_t class = target[i];
            if (class == ignored || class < 0 || class >= classes.count) {
                continue;
            }
            double factor = weights ? weights[class] : 1;
            losses[i] = -factor * score[(i / classes.inner * classes.count + class) * classes.inner + i % classes.inner];
            total += factor;
            sum += losses[i];
        }
        sum = reduction == 1 ? sum / total : sum;
        code = losses == NULL ? NO_ROOM : storeReals(tensorAt(plan, 5), reduction == 0 ? losses : &sum);
        if (code == ACL_SUCCESS) {
            code = storeReals(tensorAt(plan, 6), &total);
        }
        free(losses);
    }
    free(score);
    free(weights);
    free(target);
    return code;
}

/* gradient, scores, target, weight, reduction, ignored class, total weight, result */
static aclError classGradient(const struct plan *plan)
{
    const struct aclTensor *scores = tensorAt(plan, 1), *weight = tensorAt(plan, 3);
    int64_t ignored = integerAt(plan, 5), reduction = integerAt(plan, 4);
    struct classes classes = classesOf(scores);
    double *up = realsOf(tensorAt(plan, 0)), *weights = weight ? realsOf(weight) : NULL, *total = realsOf(tensorAt(plan, 6));
    double *result = calloc((size_t)operandCount(scores) + 1, sizeof *result);
    int64_t *target = integersOf(tensorAt(plan, 2));
    aclError code = UNMAPPED;
    if (up && total && result && target && (!weight || weights)) {
        for (int64_t i = 0; i < classes.batch * classes.inner; i++) {
            int64_t class = target[i];
            if (class == ignored || class < 0 || class >= classes.count) {
                continue;
            }
            double step = -(weights ? weights[class] : 1) * up[reduction == 0 ? i : 0];
            step = reduction == 1 ? step / total[0] : step;
            result[(i / classes.inner * classes.count + class) * classes.inner + i % classes.inner] = step;
        }
        code = storeReals(tensorAt(plan, 7), result);
    }
    free(up);
    free(weights);
    free(total);
    free(result);
    free(target);
    return code;
}

/* Losses of all elements, or one of them all. */
static bool reductionFits(const struct plan *plan)
{
    int at = 2;
    while (argumentAt(plan, at)->kind != 'n') {
        at++;
    }
    const struct aclTensor *x = tensorAt(plan, 0), *out = &plan->operands[plan->count - 1];
    int64_t reduction = integerAt(plan, at);
    if (reduction < 0 || reduction > 2) {
        return refuse("argument %d is %lld, not from 0 to 2", at + 1, (long long)reduction);
    }
    return operandCount(out) == (reduction == 0 ? operandCount(x) : 1) || refuse("the result of shape %s is no reduction of the shape %s", shapeText(out), shapeText(x));
}
#define REDUCTION FITS(reductionFits, "the result has another shape")
#define GRADIENT SPREADS(0, 1), SPREADS(2, 1), AS_MANY(RESULT, 1)

/* A class for each example, and a weight for each class. */
static bool classesFit(const struct plan *plan)
{
    bool is_backward = plan->row->compute == classGradient;
    const struct aclTensor *scores = tensorAt(plan, is_backward), *target = tensorAt(plan, is_backward + 1), *weight = tensorAt(plan, is_backward + 2);
    const struct aclTensor *losses = tensorAt(plan, is_backward ? 0 : 5), *total = tensorAt(plan, 6);
    struct classes classes = classesOf(scores);
    int64_t examples = classes.batch * classes.inner, reduction = integerAt(plan, is_backward + 3);
    if (operandCount(target) != examples || (weight != NULL && operandCount(weight) != classes.count)) {
        return refuse("targets of shape %s or the weights do not fit scores of shape %s", shapeText(target), shapeText(scores));
    }
    if (reduction < 0 || reduction > 2 || operandCount(losses) != (reduction == 0 ? examples : 1)) {
        return refuse("losses of shape %s are no reduction %lld of scores of shape %s", shapeText(losses), (long long)reduction, shapeText(scores));
    }
    return operandCount(total) == 1 || (operandCount(total) == 0 && reduction != 1) || refuse("the total weight has the shape %s", shapeText(total));
}
#define CLASSES "the shapes do not fit together"

#define ROW(operator, letters, function, pair, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .code = pair)

const struct operator_row lossRows[] = {
    ROW("MseLoss", "TTnT", pairLoss, SQUARE, SPREADS(1, 0), REDUCTION),
    ROW("MseLossBackward", "TTTnT", pairGradient, SQUARE, GRADIENT),
    ROW("L1Loss", "TTnT", pairLoss, ABSOLUTE, SPREADS(1, 0), REDUCTION),
    ROW("L1LossBackward", "TTTnT", pairGradient, ABSOLUTE, GRADIENT),
    ROW("SmoothL1Loss", "TTnfT", pairLoss, SMOOTH, SPREADS(1, 0), REDUCTION),
    ROW("SmoothL1LossBackward", "TTTnfT", pairGradient, SMOOTH, GRADIENT),
    ROW("SoftMarginLoss", "TTnT", pairLoss, SOFT_MARGIN, SPREADS(1, 0), REDUCTION),
    ROW("SoftMarginLossBackward", "TTTnT", pairGradient, SOFT_MARGIN, GRADIENT),
    ROW("BinaryCrossEntropy", "TTtnT", pairLoss, CROSS, SPREADS(1, 0), SPREADS(2, 0), REDUCTION),
    ROW("BinaryCrossEntropyBackward", "TTTtnT", pairGradient, CROSS, GRADIENT, SPREADS(3, 1)),
    ROW("BinaryCrossEntropyWithLogits", "TTttnT", pairLoss, LOGITS, SPREADS(1, 0), SPREADS(2, 0), SPREADS(3, 0), REDUCTION),
    ROW("BinaryCrossEntropyWithLogitsBackward", "TTTttnT", pairGradient, LOGITS, GRADIENT, SPREADS(3, 1), SPREADS(4, 1)),
    ROW("KlDiv", "TTnbT", pairLoss, DIVERGENCE, SPREADS(1, 0), REDUCTION),
    ROW("KlDivBackward", "TTTnbT", pairGradient, DIVERGENCE, GRADIENT),
    ROW("KlDivTargetBackward", "TTTnbT", divergenceTarget, 0, SPREADS(0, 2), SPREADS(1, 2), AS_MANY(5, 2)),
    ROW("NLLLoss", "TTtnnTT", classLoss, 0, RANKS(0, 1, RANK), INDEX(1), FITS(classesFit, CLASSES)),
    ROW("NLLLoss2d", "TTtnnTT", classLoss, 0, RANKS(0, 1, RANK), INDEX(1), FITS(classesFit, CLASSES)),
    ROW("NLLLossBackward", "TTTtnnTT", classGradient, 0, RANKS(1, 1, RANK), INDEX(2), AS_MANY(7, 1), FITS(classesFit, CLASSES)),
    ROW("NLLLoss2dBackward", "TTTtnnTT", classGradient, 0, RANKS(1, 1, RANK), INDEX(2), AS_MANY(7, 1), FITS(classesFit, CLASSES)),
    {0},
};
