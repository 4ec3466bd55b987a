/* Operators that move elements: joining, padding, repeating, turning; and those that number them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operator.h"

/* Copies all elements of one spread to another with as many. */
static aclError copy(const struct spread *from, const struct spread *to)
{
    double reals[CHUNK];
    int64_t wholes[CHUNK];
    for (int64_t at = 0; at < to->count; at += CHUNK) {
        int64_t left = to->count - at, count = left < CHUNK ? left : CHUNK;
        if (typeIsReal(from->type)) {
            takeReals(from, at, count, reals);
            putReals(to, at, count, reals);
        } else {
            takeIntegers(from, at, count, wholes);
            putIntegers(to, at, count, wholes);
        }
    }
    return ACL_SUCCESS;
}

/* A part of a tensor: `size` elements along an axis, from `start` on. */
static struct aclTensor slice(const struct aclTensor *tensor, int axis, int64_t start, int64_t size)
{
    struct aclTensor part = *tensor;
    part.offset += start * tensor->strides[axis];
    part.dims[axis] = size;
    return part;
}

static aclError copyTensor(const struct aclTensor *from, const struct aclTensor *to)
{
    struct spread in, out;
    if (!spreadOver(&in, from, to->rank, to->dims) || !spreadOf(&out, to)) {
        return UNMAPPED;
    }
    return copy(&in, &out);
}

static aclError cat(const struct plan *plan)
{
    const struct aclTensor *out = &plan->operands[plan->count - 1];
    int axis = axisOf(integerAt(plan, 1), out->rank);
    int64_t start = 0;
    aclError code = ACL_SUCCESS;
    for (int i = 0; i < countAt(plan, 0) && code == ACL_SUCCESS; i++) {
        const struct aclTensor *in = listedAt(plan, 0, i);
        /* An empty vector joins anything. */
        if (operandCount(in) == 0) {
            continue;
        }
        struct aclTensor part = slice(out, axis, start, in->dims[axis]);
        code = copyTensor(in, &part);
        start += in->dims[axis];
    }
    return code;
}

static aclError stack(const struct plan *plan)
{
    const struct aclTensor *out = &plan->operands[plan->count - 1];
    int axis = axisOf(integerAt(plan, 1), out->rank);
    aclError code = ACL_SUCCESS;
    for (int i = 0; i < countAt(plan, 0) && code == ACL_SUCCESS; i++) {
        struct aclTensor part = slice(out, axis, i, 1), squeezed = part;
        squeezed.rank--;
        for (int at = axis; at < squeezed.rank; at++) {
            squeezed.dims[at] = part.dims[at + 1];
            squeezed.strides[at] = part.strides[at + 1];
        }
        code = copyTensor(listedAt(plan, 0, i), &squeezed);
    }
    return code;
}

/* tensor, sizes, dim, list of results */
static aclError split(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0];
    int axis = axisOf(integerAt(plan, 2), in->rank);
    int64_t start = 0;
    aclError code = ACL_SUCCESS;
    for (int i = 0; i < countAt(plan, 3) && code == ACL_SUCCESS; i++) {
        const struct aclTensor *out = listedAt(plan, 3, i);
        struct aclTensor part = slice(in, axis, start, out->dims[axis]);
        code = copyTensor(&part, out);
        start += out->dims[axis];
    }
    return code;
}

static aclError fill(const struct aclTensor *tensor, double value)
{
    struct spread out;
    double values[CHUNK];
    if (!spreadOf(&out, tensor)) {
        return UNMAPPED;
    }
    for (int i = 0; i < CHUNK && i < out.count; i++) {
        values[i] = value;
    }
    for (int64_t at = 0; at < out.count; at += CHUNK) {
        putReals(&out, at, out.count - at < CHUNK ? out.count - at : CHUNK, values);
    }
    return ACL_SUCCESS;
}

/* tensor, padding from the last dimension on, value, result. Negative padding cuts. */
static aclError pad(const struct plan *plan)
{
    struct aclTensor in = plan->operands[0], out = plan->operands[1];
    const int64_t *padding = integersAt(plan, 1);
    aclError code = fill(&out, numberAt(plan, 2));
    for (int i = 0; i < countAt(plan, 1) / 2; i++) {
        int axis = in.rank - 1 - i;
        int64_t before = padding[2 * i], after = padding[2 * i + 1];
        int64_t size = in.dims[axis] + (before < 0 ? before : 0) + (after < 0 ? after : 0);
        in = slice(&in, axis, before < 0 ? -before : 0, size);
        out = slice(&out, axis, before > 0 ? before : 0, size);
    }
    return code == ACL_SUCCESS ? copyTensor(&in, &out) : code;
}

static aclError repeat(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[1];
    int64_t count = operandCount(out);
    double *values = realsOf(in), *results = malloc(((size_t)count + 1) * sizeof *results);
    for (int64_t i = 0; values && results && i < count; i++) {
        int64_t rest = i, at = 0, step = 1;
        for (int back = 1; back <= in->rank; back++) {
            int64_t size = out->dims[out->rank - back], own = in->dims[in->rank - back];
            at += rest % size % own * step;
            rest /= size;
            step *= own;
        }
        results[i] = values[at];
    }
    aclError code = values && results ? storeReals(out, results) : UNMAPPED;
    free(values);
    free(results);
    return code;
}

static aclError flip(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[1];
    struct spread from, to;
    if (!spreadOf(&from, in) || !spreadOf(&to, out)) {
        return UNMAPPED;
    }
    double *values = realsOf(in), value;
    for (int64_t i = 0; values != NULL && i < to.count; i++) {
        int64_t rest = i, at = 0, step = 1;
        for (int axis = in->rank - 1; axis >= 0; axis--) {
            int64_t index = rest % in->dims[axis];
            rest /= in->dims[axis];
            for (int k = 0; k < countAt(plan, 1); k++) {
                index = axisOf(integersAt(plan, 1)[k], in->rank) == axis ? in->dims[axis] - 1 - index : index;
            }
            at += index * step;
            step *= in->dims[axis];
        }
        value = values[at];
        putReals(&to, i, 1, &value);
    }
    free(values);
    return values == NULL ? UNMAPPED : ACL_SUCCESS;
}

/* tensor, shifts, dims, result; without dims the tensor is one row. */
static aclError roll(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[1];
    struct spread to;
    double *values = realsOf(in);
    if (values == NULL || !spreadOf(&to, out)) {
        free(values);
        return UNMAPPED;
    }
    for (int64_t i = 0; i < to.count; i++) {
        int64_t rest = i, at = 0, step = 1;
        if (countAt(plan, 2) == 0) {
            at = (i - integersAt(plan, 1)[0] % to.count + to.count) % to.count;
        }
        for (int axis = in->rank - 1; axis >= 0 && countAt(plan, 2) > 0; axis--) {
            int64_t size = in->dims[axis], index = rest % size;
            rest /= size;
            for (int k = 0; k < countAt(plan, 2); k++) {
                int64_t shift = axisOf(integersAt(plan, 2)[k], in->rank) == axis ? integersAt(plan, 1)[k] : 0;
                index = (index - shift % size + size) % size;
            }
            at += index * step;
            step *= size;
        }
        putReals(&to, i, 1, &values[at]);
    }
    free(values);
    return ACL_SUCCESS;
}

/* Upper (code 1) or lower triangle, from a diagonal on; the rest is 0. The result may be the input. */
static aclError triangle(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[plan->count - 1];
    int64_t diagonal = integerAt(plan, 1), rows = in->dims[in->rank - 2], columns = in->dims[in->rank - 1];
    double *values = realsOf(in);
    for (int64_t i = 0; values != NULL && i < operandCount(in); i++) {
        int64_t above = i % columns - i / columns % rows;
        bool is_kept = plan->row->code == 1 ? above >= diagonal : above <= diagonal;
        values[i] = is_kept ? values[i] : 0;
    }
    aclError code = values == NULL ? UNMAPPED : storeReals(out, values);
    free(values);
    return code;
}

/* start, end, step, result; the end is not needed: the result has its size */
static aclError arange(const struct plan *plan)
{
    struct spread out;
    if (!spreadOf(&out, &plan->operands[0])) {
        return UNMAPPED;
    }
    bool is_whole = !typeIsReal(out.type); /* which makes start and step integers first */
    for (int64_t i = 0; i < out.count; i++) {
        double value = numberAt(plan, 0) + (double)i * numberAt(plan, 2);
        int64_t whole = (int64_t)((uint64_t)integerAt(plan, 0) + (uint64_t)i * (uint64_t)integerAt(plan, 2));
        if (is_whole) {
            putIntegers(&out, i, 1, &whole);
        } else {
            putReals(&out, i, 1, &value);
        }
    }
    return ACL_SUCCESS;
}

/* start, end, steps, result */
static aclError linspace(const struct plan *plan)
{
    double start = numberAt(plan, 0), end = numberAt(plan, 1);
    if (!typeIsReal(plan->operands[0].type)) {
        start = trunc(start);
        end = trunc(end);
    }
    int64_t steps = integerAt(plan, 2);
    double *values = malloc(((size_t)steps + 1) * sizeof *values);
    for (int64_t i = 0; values != NULL && i < steps; i++) {
        double step = steps > 1 ? (end - start) / (double)(steps - 1) : 0;
        values[i] = i < (steps + 1) / 2 ? start + step * (double)i : end - step * (double)(steps - 1 - i);
    }
    aclError code = values == NULL ? NO_ROOM : storeReals(&plan->operands[0], values);
    free(values);
    return code;
}

static aclError eye(const struct plan *plan)
{
    struct aclTensor out = plan->operands[0];
    aclError code = fill(&out, 0);
    int64_t size = out.dims[0] < out.dims[1] ? out.dims[0] : out.dims[1];
    out.rank = 1;
    out.dims[0] = size;
    out.strides[0] += out.strides[1];
    return code == ACL_SUCCESS ? fill(&out, 1) : code;
}

/* Parts of a whole along an axis: the same sizes elsewhere, and no more along it than the whole has; `is_all`: just as many. */
static bool partsFit(const struct plan *plan, int parts, const struct aclTensor *whole, int axis_at, bool is_all)
{
    int64_t axis = integerAt(plan, axis_at), sum = 0;
    if (whole->rank == 0 || axis < -whole->rank || axis >= whole->rank) {
        return refuse("argument %d is the axis %lld of a tensor of shape %s", axis_at + 1, (long long)axis, shapeText(whole));
    }
    int at = axisOf(axis, whole->rank);
    for (int i = 0; i < countAt(plan, parts); i++) {
        const struct aclTensor *part = listedAt(plan, parts, i);
        if (is_all && operandCount(part) == 0) {
            continue;
        }
        bool fits = part->rank == whole->rank;
        for (int k = 0; fits && k < part->rank; k++) {
            fits = k == at || part->dims[k] == whole->dims[k];
        }
        if (!fits) {
            return refuse("tensor %d of shape %s is no part of one of shape %s along the axis %lld", i + 1, shapeText(part), shapeText(whole), (long long)axis);
        }
        sum += part->dims[at];
    }
    bool is_whole = operandCount(whole) == 0 && is_all;
    return is_whole || (is_all ? sum == whole->dims[at] : sum <= whole->dims[at]) ||
           refuse("the parts have %lld elements along the axis %lld of a tensor of shape %s", (long long)sum, (long long)axis, shapeText(whole));
}

static bool catFits(const struct plan *plan)
{
    return partsFit(plan, 0, tensorAt(plan, 2), 1, true);
}

static bool splitFits(const struct plan *plan)
{
    return partsFit(plan, 3, tensorAt(plan, 0), 2, false);
}

static bool stackFits(const struct plan *plan)
{
    struct aclTensor part = *tensorAt(plan, 2);
    int64_t axis = integerAt(plan, 1);
    if (part.rank == 0 || axis < -part.rank || axis >= part.rank || part.dims[axisOf(axis, part.rank)] != countAt(plan, 0)) {
        return refuse("%d tensors stacked along the axis %lld are no tensor of shape %s", countAt(plan, 0), (long long)axis, shapeText(&part));
    }
    int at = axisOf(axis, part.rank--);
    memmove(part.dims + at, part.dims + at + 1, sizeof *part.dims * (size_t)(part.rank - at));
    for (int i = 0; i < countAt(plan, 0); i++) {
        if (!operandSameShape(listedAt(plan, 0, i), &part)) {
            return refuse("tensor %d of shape %s is not one of the shape %s", i + 1, shapeText(listedAt(plan, 0, i)), shapeText(&part));
        }
    }
    return true;
}

static bool constantFits(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 3);
    int padded = countAt(plan, 1) / 2;
    bool fits = countAt(plan, 1) % 2 == 0 && padded <= in->rank && out->rank == in->rank;
    for (int back = 1; fits && back <= in->rank; back++) {
        const int64_t *padding = integersAt(plan, 1) + 2 * (back - 1);
        int64_t size = in->dims[in->rank - back], before = back <= padded ? padding[0] : 0, after = back <= padded ? padding[1] : 0;
        bool is_near = before >= -size && before <= INT32_MAX && after >= -size && after <= INT32_MAX;
        fits = is_near && out->dims[out->rank - back] == size + before + after && size + (before < 0 ? before : 0) + (after < 0 ? after : 0) >= 0;
    }
    return fits || refuse("argument 2 does not make %s of %s", shapeText(out), shapeText(in));
}

static bool repeatFits(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 2);
    bool fits = countAt(plan, 1) == out->rank && in->rank <= out->rank;
    for (int back = 1; fits && back <= out->rank; back++) {
        int64_t size = back > in->rank ? 1 : in->dims[in->rank - back], times = integersAt(plan, 1)[out->rank - back], whole;
        fits = times >= 0 && !__builtin_mul_overflow(size, times, &whole) && whole == out->dims[out->rank - back];
    }
    return fits || refuse("argument 2 does not make %s of %s", shapeText(out), shapeText(in));
}

static bool shiftsFit(const struct plan *plan)
{
    return countAt(plan, 2) == 0 ? countAt(plan, 1) == 1 : countAt(plan, 1) == countAt(plan, 2);
}

#define JOINED "the parts do not fit together"
#define MADE "the result has another shape"
#define PLACES "each element of the result is computed from its place"

#define ROW(operator, letters, function, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__))

const struct operator_row shapeRows[] = {
    ROW("Cat", "LnT", cat, FITS(catFits, JOINED)),
    ROW("Stack", "LnT", stack, FITS(stackFits, JOINED)),
    ROW("SplitWithSize", "TInL", split, RANKS(0, 1, RANK), AXIS(2, 0), FITS(splitFits, JOINED)),
    ROW("SplitTensor", "TnnL", split, RANKS(0, 1, RANK), AXIS(2, 0), FITS(splitFits, JOINED)),
    ROW("ConstantPadNd", "TIST", pad, FITS(constantFits, MADE)),
    ROW("Repeat", "TIT", repeat, FITS(repeatFits, MADE)),
    ROW("Flip", "TIT", flip, AXES(1, 0), SAME(2, 0)),
    ROW("Roll", "TIIT", roll, AXES(2, 0), SAME(3, 0), FITS(shiftsFit, "argument 2 has not a shift for each axis")),
    OPERATOR("Triu", "TnT", triangle, CHECKS(RANKS(0, 2, RANK), AS_MANY(RESULT, 0)), .code = 1),
    OPERATOR("Tril", "TnT", triangle, CHECKS(RANKS(0, 2, RANK), AS_MANY(RESULT, 0))),
    OPERATOR("InplaceTriu", "=Tn", triangle, CHECKS(RANKS(0, 2, RANK)), .code = 1),
    OPERATOR("InplaceTril", "=Tn", triangle, CHECKS(RANKS(0, 2, RANK))),
    ROW("Arange", "SSST", arange, NO_CHECKS(PLACES)),
    ROW("Range", "SSST", arange, NO_CHECKS(PLACES)),
    ROW("Linspace", "SSnT", linspace, COUNTED(3, 2)),
    ROW("Eye", "nnT", eye, RANKS(2, 2, 2)),
    {0},
};
