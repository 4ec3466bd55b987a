/* BiasAdd and ReduceMean, which MindSpore runs as single operators. */
#include "kernel.h"

/* The channels: the second axis in NCHW and NCDHW, else the last. */
static int channelAxis(const struct view *in, const aclopAttr *attributes)
{
    int64_t format = attributeInteger(attributes, "data_format", attributeText("NHWC"));
    bool is_second = format == attributeText("NCHW") || format == attributeText("NCDHW");
    return is_second ? 1 : in[0].shape.rank - 1;
}

static bool inferBias(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    int axis = channelAxis(in, attributes);
    out->type = in[0].type;
    out->shape = in[0].shape;
    return in[0].shape.rank > axis && in[0].shape.rank > 1 && in[1].shape.rank == 1 && in[1].type == in[0].type &&
           in[1].shape.dims[0] == in[0].shape.dims[axis];
}

static void computeBias(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    int64_t stride = 1, channels = in[1].shape.dims[0];
    for (int axis = channelAxis(in, attributes) + 1; axis < in[0].shape.rank; axis++) {
        stride *= in[0].shape.dims[axis];
    }
    for (int64_t i = 0; i < elementCount(&out->shape); i++) {
        elementPut(out, i, elementGet(&in[0], i) + elementGet(&in[1], i / stride % channels));
    }
}

/* The second input has the axes, as a constant. Without any, nothing is reduced unless `noop_with_empty_axes` is false. */
static bool isReduced(const struct view *in, const aclopAttr *attributes, int axis)
{
    int64_t axes = elementCount(&in[1].shape);
    bool is_found = axes == 0 && attributeInteger(attributes, "noop_with_empty_axes", 1) == 0;
    for (int64_t i = 0; i < axes; i++) {
        int64_t wanted = (int64_t)elementGet(&in[1], i);
        is_found = is_found || wanted == axis || wanted + in[0].shape.rank == axis;
    }
    return is_found;
}

static bool inferMean(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    bool is_kept = attributeInteger(attributes, "keep_dims", 0) != 0;
    int64_t axes = elementCount(&in[1].shape);
    if ((axes > 0 && in[1].bytes == NULL) || (in[1].type != ACL_INT32 && in[1].type != ACL_INT64)) {
        return false;
    }
    for (int64_t i = 0; i < axes; i++) {
        int64_t axis = (int64_t)elementGet(&in[1], i);
        if (axis < -in[0].shape.rank || axis >= in[0].shape.rank) {
            return false;
        }
    }
    out->type = in[0].type;
    out->shape.rank = 0;
    for (int axis = 0; axis < in[0].shape.rank; axis++) {
        bool is_reduced = isReduced(in, attributes, axis);
        if (!is_reduced || is_kept) {
            out->shape.dims[out->shape.rank++] = is_reduced ? 1 : in[0].shape.dims[axis];
        }
    }
    return true;
}

/* Where an element of the result begins in the operand, and with `of` its position among those that it is the mean of. */
static int64_t positionOf(const struct view *in, const aclopAttr *attributes, int64_t result, int64_t of)
{
    int64_t position = 0, step = 1;
    for (int axis = in[0].shape.rank - 1; axis >= 0; axis--) {
        int64_t size = in[0].shape.dims[axis];
        int64_t *rest = isReduced(in, attributes, axis) ? &of : &result;
        position += *rest % size * step;
        *rest /= size;
        step *= size;
    }
    return position;
}

static void computeMean(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    int64_t results = elementCount(&out->shape), each = results == 0 ? 0 : elementCount(&in[0].shape) / results;
    for (int64_t i = 0; i < results; i++) {
        long double sum = 0;
        for (int64_t of = 0; of < each; of++) {
            sum += elementGet(&in[0], positionOf(in, attributes, i, of));
        }
        elementPut(out, i, sum / (long double)each);
    }
}

const struct kernel mean_kernels[] = {
    {"BiasAdd", 2, inferBias, computeBias},
    {"ReduceMean", 2, inferMean, computeMean},
    {NULL, 0, NULL, NULL},
};
