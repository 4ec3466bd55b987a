/* LpNormReduceV2, LpNormUpdateV2 and CdistGrad: norms of any order, in the two steps that the chip takes, and the gradient of distances. */
#include <limits.h>
#include <math.h>

#include "kernel.h"

/* Infinite orders arrive as the largest and the smallest int. */
static double orderOf(const aclopAttr *attributes)
{
    double order = attributeFloat(attributes, "p", 2);
    return order >= (double)INT_MAX ? INFINITY : order <= (double)INT_MIN ? -INFINITY : order;
}

static bool isReduced(const struct view *in, const aclopAttr *attributes, int axis)
{
    const struct attribute *axes = attributeFind(attributes, "axes");
    bool is_found = axes == NULL || axes->count == 0;
    for (int i = 0; axes != NULL && i < axes->count; i++) {
        is_found = is_found || axes->integers[i] == axis || axes->integers[i] + in->shape.rank == axis;
    }
    return is_found;
}

static bool inferReduce(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    bool is_kept = attributeInteger(attributes, "keepdim", 0) != 0;
    out->type = in[0].type;
    out->shape.rank = 0;
    for (int axis = 0; axis < in[0].shape.rank; axis++) {
        bool is_reduced = isReduced(&in[0], attributes, axis);
        if (!is_reduced || is_kept) {
            out->shape.dims[out->shape.rank++] = is_reduced ? 1 : in[0].shape.dims[axis];
        }
    }
    return true;
}

static void computeReduce(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    double order = orderOf(attributes);
    int64_t results = elementCount(&out->shape);
    for (int64_t i = 0; i < results; i++) {
        elementPut(out, i, order == -INFINITY ? INFINITY : 0);
    }
    for (int64_t i = 0; i < elementCount(&in[0].shape); i++) {
        int64_t rest = i, at = 0, step = 1;
        for (int axis = in[0].shape.rank - 1; axis >= 0; axis--) {
            int64_t size = in[0].shape.dims[axis];
            if (!isReduced(&in[0], attributes, axis)) {
                at += rest % size * step;
                step *= size;
            }
            rest /= size;
        }
        double value = fabs((double)elementGet(&in[0], i)), sum = (double)elementGet(out, at);
        if (isinf(order)) {
            bool is_new = value != value || (sum == sum && (order > 0 ? value > sum : value < sum));
            sum = is_new ? value : sum;
        } else {
            sum += order == 0 ? value != 0 : pow(value, order);
        }
        elementPut(out, at, sum);
    }
}

static bool inferSame(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    (void)attributes;
    out->type = in[0].type;
    out->shape = in[0].shape;
    return true;
}

static void computeUpdate(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    double order = orderOf(attributes);
    for (int64_t i = 0; i < elementCount(&out->shape); i++) {
        double sum = (double)elementGet(&in[0], i);
        elementPut(out, i, isinf(order) || order == 0 ? sum : pow(sum, 1 / order));
    }
}

/* Gradients, both operands and distances are broadcast to one shape; the result lacks its axis before the last one, which is summed. */
static bool inferDistances(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    (void)attributes;
    int rank = in[1].shape.rank;
    out->type = in[1].type;
    out->shape.rank = rank - 1;
    for (int axis = 0; axis < rank; axis++) {
        if (axis != rank - 2) {
            out->shape.dims[axis < rank - 2 ? axis : rank - 2] = in[1].shape.dims[axis];
        }
    }
    return rank >= 3;
}

static void computeDistances(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    int rank = in[1].shape.rank;
    int64_t depth = in[1].shape.dims[rank - 1], columns = in[1].shape.dims[rank - 2];
    double order = attributeFloat(attributes, "p", 2);
    for (int64_t i = 0; i < elementCount(&out->shape); i++) {
        double sum = 0;
        for (int64_t column = 0; column < columns; column++) {
            int64_t at = (i / depth * columns + column) * depth + i % depth;
            double step = (double)elementGet(&in[1], at) - (double)elementGet(&in[2], at);
            double up = (double)elementGet(&in[0], at), distance = (double)elementGet(&in[3], at), sign = (step > 0) - (step < 0);
            if (distance == 0 || order == 0) {
                continue;
            }
            sum += order == 1  ? sign * up
                   : order < 0 ? ((float)fabs(step) == (float)distance ? sign * up : 0)
                               : sign * pow(fabs(step), order - 1) * up / pow(distance, order - 1);
        }
        elementPut(out, i, sum);
    }
}

const struct kernel norm_kernels[] = {
    {"LpNormReduceV2", 1, inferReduce, computeReduce},
    {"LpNormUpdateV2", 1, inferSame, computeUpdate},
    {"CdistGrad", 4, inferDistances, computeDistances},
    {NULL, 0, NULL, NULL},
};
