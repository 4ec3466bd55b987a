#include "checks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "operator.h"

static _Thread_local char text[320];

bool refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return false;
}

/* In one of two buffers. */
const char *shapeText(const struct aclTensor *tensor)
{
    static _Thread_local char buffers[2][192];
    static _Thread_local unsigned int used;
    char *buffer = buffers[used++ % 2];
    size_t length = (size_t)snprintf(buffer, sizeof *buffers, "[");
    for (int i = 0; i < tensor->rank; i++) {
        length += (size_t)snprintf(buffer + length, sizeof *buffers - length, i > 0 ? ", %" PRId64 : "%" PRId64, tensor->dims[i]);
    }
    (void)snprintf(buffer + length, sizeof *buffers - length, "]");
    return buffer;
}

static int place(const struct plan *plan, int argument)
{
    if (argument != RESULT) {
        return argument;
    }
    int last = plan->arguments_count - 1;
    while (plan->row->arguments[0] != '=' && last > 0 && strchr("TtLl", plan->arguments[last].kind) == NULL) {
        last--;
    }
    return plan->row->arguments[0] == '=' ? 0 : last;
}

static bool isAxis(int64_t axis, const struct aclTensor *tensor)
{
    int64_t rank = tensor->rank == 0 ? 1 : tensor->rank;
    return axis >= -rank && axis < rank;
}

static int64_t sizeAt(const struct aclTensor *tensor, int64_t axis)
{
    return tensor->rank == 0 ? 1 : tensor->dims[axisOf(axis, tensor->rank)];
}

static bool axesFit(const struct plan *plan, const struct check *check)
{
    const struct argument *given = argumentAt(plan, check->argument);
    const struct aclTensor *tensor = tensorAt(plan, check->other);
    bool is_list = given->kind == 'I' || given->kind == 'i';
    for (int i = 0; tensor != NULL && i < (is_list ? given->count : 1); i++) {
        int64_t axis = is_list ? integersAt(plan, check->argument)[i] : given->integer;
        if (!isAxis(axis, tensor)) {
            return refuse("argument %d is the axis %" PRId64 " of argument %d, which has %d dimensions", check->argument + 1, axis, check->other + 1, tensor->rank);
        }
    }
    return true;
}

/* The elements that are left when axes are gone. The axes were checked before. */
static int64_t reducedCount(const struct plan *plan, const struct aclTensor *tensor, int axes)
{
    bool is_gone[RANK] = {false};
    int count = axes == EVERY_AXIS ? 0 : strchr("Ii", argumentAt(plan, axes)->kind) != NULL ? countAt(plan, axes) : 1;
    for (int i = 0; i < count && tensor->rank > 0; i++) {
        int64_t axis = argumentAt(plan, axes)->kind == 'n' ? integerAt(plan, axes) : integersAt(plan, axes)[i];
        is_gone[axisOf(axis, tensor->rank)] = true;
    }
    int64_t left = 1;
    for (int axis = 0; axis < tensor->rank; axis++) {
        left *= count == 0 || is_gone[axis] ? 1 : tensor->dims[axis];
    }
    return left;
}

/* Whether elements of `one` have their places in a tensor, whose coordinate on `axis` is another. A single element stands for all. */
static bool isWithin(const struct aclTensor *one, const struct aclTensor *in, int axis)
{
    bool is_within = one->rank == in->rank || operandCount(one) == 0 || (one->rank == 0 && in->rank == 1);
    is_within = is_within || (in->rank == 0 && (axis >= 0 || operandCount(in) > 0));
    for (int i = 0; is_within && one->rank == in->rank && operandCount(one) > 0 && i < in->rank; i++) {
        is_within = i == axis || one->dims[i] <= in->dims[i];
    }
    return is_within && (axis >= 0 || operandCount(one) == 0 || operandCount(in) > 0);
}

static bool shapesFit(const struct plan *plan, const struct check *check, int argument, int other, const struct aclTensor *one,
                      const struct aclTensor *as)
{
    int64_t count = operandCount(one), wanted = operandCount(as);
    switch (check->rule) {
    case SPREADS_TO:
        return operandSpreads(one, as) || refuse("argument %d of shape %s does not broadcast to %s, the shape of argument %d", argument, shapeText(one), shapeText(as), other);
    case SAME_SHAPE_AS:
        return operandSameShape(one, as) || refuse("argument %d has the shape %s, argument %d %s", argument, shapeText(one), other, shapeText(as));
    case AS_MANY_OR_NONE_AS:
    case AS_MANY_ELEMENTS_AS:
        return count == wanted || (count == 0 && check->rule == AS_MANY_OR_NONE_AS) ||
               refuse("argument %d of shape %s has %" PRId64 " elements, argument %d of shape %s %" PRId64, argument, shapeText(one), count, other, shapeText(as), wanted);
    case REDUCED_SHAPE:
        wanted = reducedCount(plan, as, check->third);
        return count == wanted || refuse("argument %d of shape %s has %" PRId64 " elements, a reduction of argument %d of shape %s %" PRId64, argument,
                                     shapeText(one), count, other, shapeText(as), wanted);
    case ROWS_BY_NUMBER:
        wanted = operandCount(tensorAt(plan, (int)check->low));
        for (int axis = 0; axis < as->rank; axis++) {
            wanted *= axis == axisOf(integerAt(plan, check->third), as->rank) ? 1 : as->dims[axis];
        }
        return count == wanted || refuse("argument %d of shape %s has %" PRId64 " elements, slices of argument %d of shape %s have %" PRId64, argument,
                                         shapeText(one), count, other, shapeText(as), wanted);
    case WITHIN_SHAPE:
    case WITHIN_SHAPE_BUT_AXIS:
        return isWithin(one, as, check->rule == WITHIN_SHAPE ? -1 : axisOf(integerAt(plan, check->third), as->rank)) ||
               refuse("argument %d of shape %s is not within argument %d of shape %s", argument, shapeText(one), other, shapeText(as));
    case SAME_SIZE:
        if (one->rank < (check->low < 0 ? -check->low : check->low + 1) || as->rank < (check->high < 0 ? -check->high : check->high + 1)) {
            return refuse("arguments %d of shape %s and %d of shape %s have too few dimensions", argument, shapeText(one), other, shapeText(as));
        }
        return sizeAt(one, check->low) == sizeAt(as, check->high) ||
               refuse("dimension %" PRId64 " of argument %d of shape %s is not dimension %" PRId64 " of argument %d of shape %s", check->low, argument,
                  shapeText(one), check->high, other, shapeText(as));
    default: {
        int axis = axisOf(integerAt(plan, check->third), as->rank);
        bool is_same = one->rank == as->rank;
        for (int i = 0; is_same && i < one->rank; i++) {
            is_same = i == axis || one->dims[i] == as->dims[i];
        }
        return is_same || refuse("argument %d of shape %s differs from argument %d of shape %s on more than the axis %" PRId64, argument, shapeText(one), other,
                             shapeText(as), integerAt(plan, check->third));
    }
    }
}

static bool tensorFits(const struct check *check, int argument, const struct aclTensor *tensor)
{
    if (check->rule == RANK_WITHIN) {
        return (tensor->rank >= check->low && tensor->rank <= check->high) ||
               refuse("argument %d has %d dimensions, not from %" PRId64 " to %" PRId64, argument, tensor->rank, check->low, check->high);
    }
    if (check->rule == WHOLE_NUMBERS) {
        return !typeIsReal(tensor->type) || refuse("argument %d numbers elements and has the type %d, which is not an integer's", argument, (int)tensor->type);
    }
    return operandCount(tensor) >= check->low ||
           refuse("argument %d of shape %s has %" PRId64 " elements, not %" PRId64, argument, shapeText(tensor), operandCount(tensor), check->low);
}

static bool numberFits(const struct plan *plan, const struct check *check, int64_t high)
{
    int64_t number = integerAt(plan, check->argument);
    return (number >= check->low && number <= high) ||
           refuse("argument %d is %" PRId64 ", not from %" PRId64 " to %" PRId64, check->argument + 1, number, check->low, high);
}

static bool holds(const struct plan *plan, const struct check *check)
{
    int at = place(plan, check->argument), other_at = place(plan, check->other);
    const struct argument *argument = argumentAt(plan, at);
    switch (check->rule) {
    case ELEMENT_BY_ELEMENT: {
        struct check spreads = {.rule = SPREADS_TO};
        const struct aclTensor *out = tensorAt(plan, place(plan, RESULT));
        for (int i = 0; out != NULL && i < plan->arguments_count; i++) {
            const struct aclTensor *in = tensorAt(plan, i);
            if (in != NULL && !shapesFit(plan, &spreads, i + 1, place(plan, RESULT) + 1, in, out)) {
                return false;
            }
        }
        return true;
    }
    case AXIS_OF:
    case AXES_OF:
        return axesFit(plan, check);
    case NUMBER_WITHIN:
        return numberFits(plan, check, check->high);
    case NUMBER_UP_TO_SIZE:
        return numberFits(plan, check, sizeAt(tensorAt(plan, check->other), integerAt(plan, check->third)));
    case LENGTH_WITHIN:
        return (argument->count >= check->low && argument->count <= check->high) ||
               refuse("argument %d has %d elements, not from %" PRId64 " to %" PRId64, at + 1, argument->count, check->low, check->high);
    case AS_LONG_AS:
        return argument->count == countAt(plan, check->other) ||
               refuse("argument %d has %d elements, argument %d has %d", at + 1, argument->count, other_at + 1, countAt(plan, check->other));
    case SIZE_ALONG: {
        const struct aclTensor *one = tensorAt(plan, at);
        int64_t size = one == NULL ? 0 : sizeAt(one, integerAt(plan, check->other)), number = integerAt(plan, check->third);
        return one == NULL || one->rank == 0 || size == number ||
               refuse("argument %d of shape %s has %" PRId64 " elements on the axis, argument %d is %" PRId64, at + 1, shapeText(one), size, check->third + 1, number);
    }
    case COUNT_OF_ELEMENTS: {
        const struct aclTensor *one = tensorAt(plan, at);
        return one == NULL || operandCount(one) == integerAt(plan, check->other) ||
               refuse("argument %d of shape %s has %" PRId64 " elements, argument %d is %" PRId64, at + 1, shapeText(one), operandCount(one), check->other + 1,
                      integerAt(plan, check->other));
    }
    case WHATEVER:
        (void)refuse("%s", check->why);
        return check->fits(plan);
    case ELEMENTS_FROM:
    case RANK_WITHIN:
    case WHOLE_NUMBERS:
        for (int i = 0; i < argument->count; i++) {
            const struct aclTensor *one = listedAt(plan, at, i);
            if (one != NULL && !tensorFits(check, at + 1, one)) {
                return false;
            }
        }
        return true;
    default:
        for (int i = 0; i < argument->count; i++) {
            const struct aclTensor *one = listedAt(plan, at, i);
            const struct aclTensor *as = listedAt(plan, other_at, strchr("Ll", argumentAt(plan, other_at)->kind) != NULL ? i : 0);
            if (one != NULL && as != NULL && !shapesFit(plan, check, at + 1, other_at + 1, one, as)) {
                return false;
            }
        }
        return true;
    }
}

bool planFits(const struct plan *plan)
{
    const struct check *check = plan->row->checks;
    while (check->rule != NOTHING && holds(plan, check)) {
        check++;
    }
    return check->rule == NOTHING;
}

const char *refusalText(void)
{
    return text;
}
