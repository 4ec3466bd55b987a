/* Reductions over dimensions. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

/* What is kept of the elements seen so far. */
struct fold {
    double sum, product, most, least, power, mean, squares;
    int64_t whole_sum, whole_product, count, most_at, least_at;
    bool all, any;
};

enum what { SUM, MEAN, PROD, MAX, MIN, ALL, ANY, VECTOR_NORM, VAR, STD, LOG_SUM_EXP, NAN_SUM };

static void begin(struct fold *fold)
{
    *fold = (struct fold){.product = 1, .most = -INFINITY, .least = INFINITY, .whole_product = 1, .all = true};
}

static void add(struct fold *fold, const double *values, int64_t count, enum what what, double order)
{
    for (int64_t i = 0; i < count; i++) {
        double value = values[i];
        if (what == SUM || what == MEAN) {
            fold->sum += value;
        } else if (what == NAN_SUM) {
            fold->sum += value == value ? value : 0;
        } else if (what == VAR || what == STD) {
            double step = value - fold->mean;
            fold->mean += step / (double)(fold->count + i + 1);
            fold->squares += step * (value - fold->mean);
        } else if (what == VECTOR_NORM) {
            double size = fabs(value);
            fold->power += order == 2 ? value * value : order == 1 ? size : isinf(order) || order == 0 ? size != 0 : pow(size, order);
            value = size;
        } else if (what == LOG_SUM_EXP) {
            double most = value > fold->most ? value : fold->most;
            fold->sum = fold->sum * (fold->most == most ? 1 : exp(fold->most - most)) + (value == most ? 1 : exp(value - most));
        } else if (what == PROD) {
            fold->product *= value;
        }
        fold->all = fold->all && value != 0;
        fold->any = fold->any || value != 0;
        if (value > fold->most || (value != value && fold->most == fold->most)) {
            fold->most = value;
            fold->most_at = fold->count + i;
        }
        if (value < fold->least || (value != value && fold->least == fold->least)) {
            fold->least = value;
            fold->least_at = fold->count + i;
        }
    }
    fold->count += count;
}

static void addWhole(struct fold *fold, const int64_t *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        fold->whole_sum = (int64_t)((uint64_t)fold->whole_sum + (uint64_t)values[i]);
        fold->whole_product = (int64_t)((uint64_t)fold->whole_product * (uint64_t)values[i]);
    }
}

static double result(const struct fold *fold, enum what what, double extra)
{
    switch (what) {
    case SUM:
    case NAN_SUM:
        return fold->sum;
    case MEAN:
        return fold->sum / (double)fold->count;
    case PROD:
        return fold->product;
    case MAX:
        return fold->most;
    case MIN:
        return fold->least;
    case ALL:
        return fold->all;
    case ANY:
        return fold->any;
    case VECTOR_NORM:
        return extra == 2                 ? sqrt(fold->power)
               : isinf(extra) && extra > 0 ? fold->most
               : isinf(extra)              ? fold->least
               : extra == 0 || extra == 1  ? fold->power
                                           : pow(fold->power, 1 / extra);
    case VAR:
        return fold->squares / ((double)fold->count - extra);
    case STD:
        return sqrt(fold->squares / ((double)fold->count - extra));
    default:
        return isinf(fold->most) && fold->sum == fold->sum ? fold->most : fold->most + log(fold->sum);
    }
}

/* The input with its reduced axes last; how many results there are, and how many elements each has. */
struct reduction {
    const struct plan *plan;
    struct spread in;
    int64_t results, each;
    enum what what;
    double extra;
    double *reals;     /* results */
    int64_t *wholes;   /* sums and products of integers */
    int64_t *places;   /* where a largest or smallest one is */
    double *means;
};

static bool prepare(struct reduction *reduction, const struct aclTensor *in, const int64_t *axes, int count)
{
    bool is_reduced[RANK] = {false};
    for (int i = 0; i < count && in->rank > 0; i++) {
        is_reduced[axisOf(axes[i], in->rank) & (RANK - 1)] = true;
    }
    int order[RANK], at = 0;
    reduction->results = reduction->each = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int axis = 0; axis < in->rank; axis++) {
            if ((count == 0 || is_reduced[axis]) == (pass == 1)) {
                order[at++] = axis;
                *(pass == 1 ? &reduction->each : &reduction->results) *= in->dims[axis];
            }
        }
    }
    size_t room = (size_t)reduction->results + 1;
    reduction->reals = malloc(room * sizeof(double));
    reduction->means = malloc(room * sizeof(double));
    reduction->wholes = malloc(room * sizeof(int64_t));
    reduction->places = malloc(room * sizeof(int64_t));
    return spreadOrdered(&reduction->in, in, order);
}

static void part(void *argument, int64_t from, int64_t to)
{
    struct reduction *reduction = argument;
    bool is_whole = !typeIsReal(reduction->in.type);
    double values[CHUNK];
    int64_t wholes[CHUNK];
    for (int64_t at = from; at < to; at++) {
        struct fold fold;
        begin(&fold);
        for (int64_t i = 0; i < reduction->each; i += CHUNK) {
            int64_t left = reduction->each - i, count = left < CHUNK ? left : CHUNK;
            takeReals(&reduction->in, at * reduction->each + i, count, values);
            add(&fold, values, count, reduction->what, reduction->extra);
            if (is_whole) {
                takeIntegers(&reduction->in, at * reduction->each + i, count, wholes);
                addWhole(&fold, wholes, count);
            }
        }
        reduction->reals[at] = result(&fold, reduction->what, reduction->extra);
        reduction->means[at] = fold.mean;
        reduction->wholes[at] = reduction->what == PROD ? fold.whole_product : fold.whole_sum;
        reduction->places[at] = reduction->what == MIN ? fold.least_at : fold.most_at;
    }
}

static aclError reduce(const struct plan *plan, enum what what, const int64_t *axes, int count, double extra,
                       const struct aclTensor *out, const struct aclTensor *places, const struct aclTensor *means)
{
    const struct aclTensor *in = &plan->operands[0];
    struct reduction reduction = {.plan = plan, .what = what, .extra = extra};
    aclError code = UNMAPPED;
    if (prepare(&reduction, in, axes, count) && reduction.reals && reduction.means && reduction.wholes && reduction.places) {
        inParallel(reduction.results, 4.0 * (double)reduction.each, part, &reduction);
        bool is_whole = (what == SUM || what == PROD) && !typeIsReal(in->type) && out != NULL && !typeIsReal(out->type);
        code = out == NULL ? ACL_SUCCESS : is_whole ? storeIntegers(out, reduction.wholes) : storeReals(out, reduction.reals);
        if (code == ACL_SUCCESS && places != NULL) {
            code = storeIntegers(places, reduction.places);
        }
        if (code == ACL_SUCCESS && means != NULL) {
            code = storeReals(means, reduction.means);
        }
    }
    free(reduction.reals);
    free(reduction.means);
    free(reduction.wholes);
    free(reduction.places);
    return code;
}

static const struct aclTensor *last(const struct plan *plan)
{
    return &plan->operands[plan->count - 1];
}

/* tensor, dims, … result */
static aclError overDims(const struct plan *plan)
{
    return reduce(plan, (enum what)plan->row->code, integersAt(plan, 1), countAt(plan, 1), 0, last(plan), NULL, NULL);
}

/* tensor, dim, … result */
static aclError overDim(const struct plan *plan)
{
    int64_t axis = integerAt(plan, 1);
    return reduce(plan, (enum what)plan->row->code, &axis, 1, 0, last(plan), NULL, NULL);
}

static aclError overAll(const struct plan *plan)
{
    return reduce(plan, (enum what)plan->row->code, NULL, 0, 0, last(plan), NULL, NULL);
}

/* tensor, dim, keep, values, indices */
static aclError withPlaces(const struct plan *plan)
{
    int64_t axis = integerAt(plan, 1);
    return reduce(plan, (enum what)plan->row->code, &axis, 1, 0, &plan->operands[1], &plan->operands[2], NULL);
}

static aclError place(const struct plan *plan)
{
    int64_t axis = integerAt(plan, 1);
    return reduce(plan, (enum what)plan->row->code, &axis, 1, 0, NULL, last(plan), NULL);
}

/* tensor, order, dims, keep, … result */
static aclError norm(const struct plan *plan)
{
    double order = plan->arguments[1].is_absent ? 2 : numberAt(plan, 1);
    return reduce(plan, VECTOR_NORM, integersAt(plan, 2), countAt(plan, 2), order, last(plan), NULL, NULL);
}

/* tensor, dims, correction, keep, result */
static aclError variance(const struct plan *plan)
{
    return reduce(plan, (enum what)plan->row->code, integersAt(plan, 1), countAt(plan, 1), numberAt(plan, 2), last(plan), NULL, NULL);
}

/* tensor, dims, correction, keep, variance or deviation, mean */
static aclError varianceAndMean(const struct plan *plan)
{
    return reduce(plan, (enum what)plan->row->code, integersAt(plan, 1), countAt(plan, 1), numberAt(plan, 2), &plan->operands[1], NULL,
                  &plan->operands[2]);
}

/* tensor, [dims or dim, keep,] least, most */
static aclError leastAndMost(const struct plan *plan)
{
    const struct argument *given = argumentAt(plan, 1);
    const int64_t *axes = given->kind == 'I' ? integersAt(plan, 1) : &given->integer;
    int count = given->kind == 'I' ? countAt(plan, 1) : given->kind == 'n';
    aclError code = reduce(plan, MIN, axes, count, 0, &plan->operands[1], NULL, NULL);
    return code == ACL_SUCCESS ? reduce(plan, MAX, axes, count, 0, &plan->operands[2], NULL, NULL) : code;
}

#define ROW(operator, letters, function, what, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .code = what)

const struct operator_row reductionRows[] = {
    ROW("ReduceSum", "TIbeT", overDims, SUM, AXES(1, 0), REDUCED(4, 0, 1)),
    ROW("Mean", "TIbeT", overDims, MEAN, AXES(1, 0), REDUCED(4, 0, 1)),
    ROW("MeanV2", "TIbbT", overDims, MEAN, AXES(1, 0), REDUCED(4, 0, 1)),
    ROW("Prod", "TeT", overAll, PROD, REDUCED(2, 0, EVERY_AXIS)),
    ROW("ProdDim", "TnbeT", overDim, PROD, AXIS(1, 0), REDUCED(4, 0, 1)),
    ROW("Max", "TT", overAll, MAX, REDUCED(1, 0, EVERY_AXIS)),
    ROW("Min", "TT", overAll, MIN, REDUCED(1, 0, EVERY_AXIS)),
    ROW("Amax", "TIbT", overDims, MAX, AXES(1, 0), REDUCED(3, 0, 1)),
    ROW("Amin", "TIbT", overDims, MIN, AXES(1, 0), REDUCED(3, 0, 1)),
    ROW("MaxDim", "TnbTT", withPlaces, MAX, AXIS(1, 0), REDUCED(3, 0, 1), REDUCED(4, 0, 1)),
    ROW("MinDim", "TnbTT", withPlaces, MIN, AXIS(1, 0), REDUCED(3, 0, 1), REDUCED(4, 0, 1)),
    ROW("ArgMax", "TnbT", place, MAX, AXIS(1, 0), REDUCED(3, 0, 1)),
    ROW("ArgMin", "TnbT", place, MIN, AXIS(1, 0), REDUCED(3, 0, 1)),
    ROW("All", "TIbT", overDims, ALL, AXES(1, 0), REDUCED(3, 0, 1)),
    ROW("Any", "TIbT", overDims, ANY, AXES(1, 0), REDUCED(3, 0, 1)),
    ROW("LinalgVectorNorm", "TSibeT", norm, 0, AXES(2, 0), REDUCED(5, 0, 2)),
    ROW("Norm", "TsibT", norm, 0, AXES(2, 0), REDUCED(4, 0, 2)),
    ROW("Var", "TibbT", variance, VAR, AXES(1, 0), REDUCED(4, 0, 1)),
    ROW("VarCorrection", "TinbT", variance, VAR, AXES(1, 0), REDUCED(4, 0, 1)),
    ROW("Std", "TinbT", variance, STD, AXES(1, 0), REDUCED(4, 0, 1)),
    ROW("VarMean", "TinbTT", varianceAndMean, VAR, AXES(1, 0), REDUCED(4, 0, 1), REDUCED(5, 0, 1)),
    ROW("StdMeanCorrection", "TinbTT", varianceAndMean, STD, AXES(1, 0), REDUCED(4, 0, 1), REDUCED(5, 0, 1)),
    ROW("LogSumExp", "TIbT", overDims, LOG_SUM_EXP, AXES(1, 0), REDUCED(3, 0, 1)),
    ROW("ReduceNansum", "TIbeT", overDims, NAN_SUM, AXES(1, 0), REDUCED(4, 0, 1)),
    ROW("Aminmax", "TIbTT", leastAndMost, 0, AXES(1, 0), REDUCED(3, 0, 1), REDUCED(4, 0, 1)),
    ROW("AminmaxDim", "TnbTT", leastAndMost, 0, AXIS(1, 0), REDUCED(3, 0, 1), REDUCED(4, 0, 1)),
    ROW("AminmaxAll", "TTT", leastAndMost, 0, REDUCED(1, 0, EVERY_AXIS), REDUCED(2, 0, EVERY_AXIS)),
    {0},
};
