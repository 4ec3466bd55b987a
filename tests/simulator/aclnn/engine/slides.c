#include "slides.h"

#include <inttypes.h>

#include "operator.h"

/* Beyond what any kernel has. */
enum { FARTHEST = 1 << 20 };

bool planesFit(const struct aclTensor *in, int in_at, const struct aclTensor *many, int many_at, int axes)
{
    bool fits = in->rank == many->rank && in->rank > axes;
    for (int axis = 0; fits && axis < in->rank; axis++) {
        fits = axis < in->rank - axes ? in->dims[axis] == many->dims[axis] : in->dims[axis] > 0 || many->dims[axis] == 0;
    }
    return fits || refuse("argument %d of shape %s has not the planes of argument %d of shape %s", many_at + 1, shapeText(many), in_at + 1, shapeText(in));
}

static bool listFits(const struct plan *plan, int at, int least, int axes, int64_t low)
{
    int count = countAt(plan, at);
    if (count < least || (count > 1 && count != axes)) {
        return refuse("argument %d has %d numbers, not one or %d", at + 1, count, axes);
    }
    for (int i = 0; i < count; i++) {
        int64_t number = integersAt(plan, at)[i];
        if (number < low || number > FARTHEST) {
            return refuse("argument %d has the number %" PRId64 ", not from %" PRId64 " to %d", at + 1, number, low, FARTHEST);
        }
    }
    return true;
}

static int64_t listedNumber(const struct plan *plan, int at, int i, int64_t otherwise)
{
    int count = countAt(plan, at);
    return count == 0 ? otherwise : integersAt(plan, at)[count == 1 ? 0 : i];
}

bool windowsFit(const struct plan *plan, int in_at, int out_at, int axes, int at, bool has_dilation)
{
    const struct aclTensor *in = tensorAt(plan, in_at), *out = tensorAt(plan, out_at);
    if (!planesFit(in, in_at, out, out_at, axes) || !listFits(plan, at, 1, axes, 1) || !listFits(plan, at + 1, 0, axes, 1) ||
        !listFits(plan, at + 2, 0, axes, 0) || (has_dilation && !listFits(plan, at + 3, 0, axes, 1))) {
        return false;
    }
    for (int i = 0; i < axes; i++) {
        int64_t kernel = listedNumber(plan, at, i, 1), step = listedNumber(plan, at + 1, i, kernel), padding = listedNumber(plan, at + 2, i, 0);
        int64_t reach = (kernel - 1) * (has_dilation ? listedNumber(plan, at + 3, i, 1) : 1) + 1;
        int64_t size = in->dims[in->rank - axes + i], count = out->dims[out->rank - axes + i];
        if (padding > reach / 2) {
            return refuse("argument %d pads by %" PRId64 ", more than half of a window of %" PRId64, at + 3, padding, reach);
        }
        if (count > 0 && (count - 1 > (size + padding) / step || (count - 1) * step - padding >= size)) {
            return refuse("argument %d of shape %s has more windows than argument %d of shape %s with steps of %" PRId64 " and padding of %" PRId64,
                          out_at + 1, shapeText(out), in_at + 1, shapeText(in), step, padding);
        }
    }
    return true;
}
