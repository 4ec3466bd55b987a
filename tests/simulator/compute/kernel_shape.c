/* Operators that move elements without computing on them. */
#include <string.h>

#include "kernel.h"

static void copyElements(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    (void)attributes;
    memmove(out->bytes, in[0].bytes, tensorBytes(out->type, &out->shape));
}

static bool inferFlatten(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    int64_t axis = attributeInteger(attributes, "axis", 1);
    if (axis < 0) {
        axis += in[0].shape.rank;
    }
    if (axis < 0 || axis > in[0].shape.rank) {
        return false;
    }
    out->type = in[0].type;
    out->shape = (struct shape){2, {1, 1}};
    for (int i = 0; i < in[0].shape.rank; i++) {
        out->shape.dims[i < axis ? 0 : 1] *= in[0].shape.dims[i];
    }
    return true;
}

/* The new shape is the second input, which has to be readable when the shape is inferred: a constant.
 * 0 keeps an axis, -1 takes the rest. A caller that gives the output's shape itself has settled it. */
static bool inferReshape(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)attributes;
    out->type = in[0].type;
    int64_t have = elementCount(&in[0].shape);
    if (out->shape.rank > 0) {
        return elementCount(&out->shape) == have;
    }
    if (count < 2 || in[1].bytes == NULL || in[1].type != ACL_INT64 || in[1].shape.rank != 1 ||
        in[1].shape.dims[0] > TENSOR_DIMS) {
        return false;
    }
    int open = -1;
    int64_t settled = 1;
    out->shape.rank = (int)in[1].shape.dims[0];
    for (int axis = 0; axis < out->shape.rank; axis++) {
        int64_t size = (int64_t)elementGet(&in[1], axis);
        if (size == 0 && axis < in[0].shape.rank) {
            size = in[0].shape.dims[axis];
        }
        if (size < -1 || size > have) {
            return false;
        }
        if (size == -1) {
            open = axis;
        } else if (__builtin_mul_overflow(settled, size, &settled)) {
            return false;
        }
        out->shape.dims[axis] = size;
    }
    if (open >= 0) {
        out->shape.dims[open] = settled == 0 ? 0 : have / settled;
    }
    return elementCount(&out->shape) == have;
}

static bool inferTranspose(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    const struct attribute *order = attributeFind(attributes, "perm");
    int rank = in[0].shape.rank;
    if (order != NULL && order->count != rank) {
        return false;
    }
    out->type = in[0].type;
    out->shape.rank = rank;
    for (int axis = 0; axis < rank; axis++) {
        int64_t from = order == NULL ? rank - 1 - axis : order->integers[axis];
        if (from < 0 || from >= rank) {
            return false;
        }
        out->shape.dims[axis] = in[0].shape.dims[from];
    }
    return true;
}

static void computeTranspose(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    const struct attribute *order = attributeFind(attributes, "perm");
    int rank = out->shape.rank;
    for (int64_t index = 0; index < elementCount(&out->shape); index++) {
        int64_t at[TENSOR_DIMS] = {0}, rest = index, from = 0;
        for (int axis = rank - 1; axis >= 0; axis--) {
            at[order == NULL ? rank - 1 - axis : order->integers[axis]] = rest % out->shape.dims[axis];
            rest /= out->shape.dims[axis];
        }
        for (int axis = 0; axis < rank; axis++) {
            from = from * in[0].shape.dims[axis] + at[axis];
        }
        elementPut(out, index, elementGet(&in[0], from));
    }
}

/* BroadcastToD: the target shape is the attribute `shape`. */
static bool inferBroadcast(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    const struct attribute *target = attributeFind(attributes, "shape");
    if (target == NULL || target->count > TENSOR_DIMS) {
        return false;
    }
    out->type = in[0].type;
    out->shape.rank = target->count;
    memcpy(out->shape.dims, target->integers, sizeof(int64_t) * (size_t)target->count);
    struct shape fitted;
    return broadcastShape(&in[0].shape, &out->shape, &fitted) && sameShape(&fitted, &out->shape);
}

static void computeBroadcast(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    (void)attributes;
    for (int64_t i = 0; i < elementCount(&out->shape); i++) {
        elementPut(out, i, elementGet(&in[0], broadcastIndex(&in[0].shape, &out->shape, i)));
    }
}

/* Fill: the first input is the shape, the second the value. */
static bool inferFill(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    (void)attributes;
    out->type = in[1].type;
    return elementCount(&in[1].shape) == 1;
}

static void computeFill(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    (void)attributes;
    for (int64_t i = 0; i < elementCount(&out->shape); i++) {
        elementPut(out, i, elementGet(&in[1], 0));
    }
}

/* ArgMaxV2: the second input is the axis, a constant; the answer is the first of the largest elements' indices along it. */
static int axisOf(const struct view *in)
{
    int64_t axis = in[1].bytes == NULL || elementCount(&in[1].shape) != 1 ? -1 - TENSOR_DIMS : (int64_t)elementGet(&in[1], 0);
    axis += axis < 0 ? in[0].shape.rank : 0;
    return axis < 0 || axis >= in[0].shape.rank ? -1 : (int)axis;
}

static bool inferArgMax(const struct view *in, int count, const aclopAttr *attributes, struct view *out)
{
    (void)count;
    (void)attributes;
    int axis = axisOf(in);
    if (axis < 0 || (out->type != ACL_INT32 && out->type != ACL_INT64)) {
        return false;
    }
    out->shape.rank = 0;
    for (int i = 0; i < in[0].shape.rank; i++) {
        if (i != axis) {
            out->shape.dims[out->shape.rank++] = in[0].shape.dims[i];
        }
    }
    return in[0].shape.dims[axis] > 0;
}

static void computeArgMax(const struct view *in, int count, const aclopAttr *attributes, const struct view *out)
{
    (void)count;
    (void)attributes;
    int axis = axisOf(in);
    int64_t along = in[0].shape.dims[axis], stride = 1;
    for (int i = axis + 1; i < in[0].shape.rank; i++) {
        stride *= in[0].shape.dims[i];
    }
    for (int64_t index = 0; index < elementCount(&out->shape); index++) {
        int64_t first = index / stride * stride * along + index % stride, best = 0;
        for (int64_t at = 1; at < along; at++) {
            best = elementGet(&in[0], first + at * stride) > elementGet(&in[0], first + best * stride) ? at : best;
        }
        elementPut(out, index, (long double)best);
    }
}

const struct kernel shape_kernels[] = {
    {"ArgMaxV2", 2, inferArgMax, computeArgMax},
    {"Flatten", 1, inferFlatten, copyElements},
    {"FlattenV2", 1, inferFlatten, copyElements},
    {"Reshape", 1, inferReshape, copyElements},
    {"Transpose", 1, inferTranspose, computeTranspose},
    {"BroadcastToD", 1, inferBroadcast, computeBroadcast},
    {"Fill", 2, inferFill, computeFill},
    {NULL, 0, NULL, NULL},
};
