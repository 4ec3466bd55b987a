/* What an operator's arguments must be, stated in its row and answered by phase one: 161002, with a text that names argument, value and bound.
 *
 * Arguments are counted from 0, as the row's letters are. An absent one fits; of a list, each tensor must. Where a real library's bound is not
 * known, the check is the loosest one that keeps the run within its operands. */
#ifndef SIMULATOR_ACLNN_CHECKS_H
#define SIMULATOR_ACLNN_CHECKS_H

#include "../objects.h"

enum rule {
    NOTHING, /* ends a row's checks; alone, `why` says what makes others needless */
    ELEMENT_BY_ELEMENT,
    SPREADS_TO,
    SAME_SHAPE_AS,
    AS_MANY_ELEMENTS_AS,
    AS_MANY_OR_NONE_AS,
    ELEMENTS_FROM,
    RANK_WITHIN,
    AXIS_OF,
    AXES_OF,
    SHAPE_BUT_AXIS,
    REDUCED_SHAPE,
    SAME_SIZE,
    NUMBER_WITHIN,
    NUMBER_UP_TO_SIZE,
    LENGTH_WITHIN,
    AS_LONG_AS,
    WHOLE_NUMBERS,
    WITHIN_SHAPE,
    WITHIN_SHAPE_BUT_AXIS,
    ROWS_BY_NUMBER,
    SIZE_ALONG,
    COUNT_OF_ELEMENTS,
    WHATEVER,
};

struct check {
    enum rule rule;
    int argument, other, third;
    int64_t low, high;
    bool (*fits)(const struct plan *plan);
    const char *why;
};

/* The result: the first argument of an operator in place, else the last operand. */
enum { RESULT = -1, EVERY_AXIS = -1 };

/* All operands broadcast to the result. */
#define ELEMENTWISE {.rule = ELEMENT_BY_ELEMENT}
#define SPREADS(one, whole) {.rule = SPREADS_TO, .argument = one, .other = whole}
#define SAME(one, as) {.rule = SAME_SHAPE_AS, .argument = one, .other = as}
#define AS_MANY(one, as) {.rule = AS_MANY_ELEMENTS_AS, .argument = one, .other = as}
/* A result that is not asked for has no elements. */
#define AS_MANY_IF_ANY(one, as) {.rule = AS_MANY_OR_NONE_AS, .argument = one, .other = as}
#define ELEMENTS(one, least) {.rule = ELEMENTS_FROM, .argument = one, .low = least}
#define RANKS(one, least, most) {.rule = RANK_WITHIN, .argument = one, .low = least, .high = most}
#define AXIS(number, tensor) {.rule = AXIS_OF, .argument = number, .other = tensor}
#define AXES(numbers, tensor) {.rule = AXES_OF, .argument = numbers, .other = tensor}
#define SAME_BUT_AXIS(one, as, axis) {.rule = SHAPE_BUT_AXIS, .argument = one, .other = as, .third = axis}
/* As many elements as are left of a tensor without its reduced axes. */
#define REDUCED(one, of, axes) {.rule = REDUCED_SHAPE, .argument = one, .other = of, .third = axes}
/* Negative axes count from the end. */
#define SIZES(one, axis, as, its) {.rule = SAME_SIZE, .argument = one, .low = axis, .other = as, .high = its}
#define WITHIN(number, least, most) {.rule = NUMBER_WITHIN, .argument = number, .low = least, .high = most}
#define K_FITS(number, tensor, axis, least) {.rule = NUMBER_UP_TO_SIZE, .argument = number, .other = tensor, .third = axis, .low = least}
#define LENGTH(array, least, most) {.rule = LENGTH_WITHIN, .argument = array, .low = least, .high = most}
#define AS_LONG(one, as) {.rule = AS_LONG_AS, .argument = one, .other = as}
#define INDEX(one) {.rule = WHOLE_NUMBERS, .argument = one}
/* No size of an index is larger than the tensor's, but on an axis. */
#define INSIDE(index, tensor) {.rule = WITHIN_SHAPE, .argument = index, .other = tensor}
#define INSIDE_BUT_AXIS(index, tensor, axis) {.rule = WITHIN_SHAPE_BUT_AXIS, .argument = index, .other = tensor, .third = axis}
/* As many elements as the tensor's with a slice for each of the numbers. */
#define ROWS_OF(one, tensor, axis, numbers) {.rule = ROWS_BY_NUMBER, .argument = one, .other = tensor, .third = axis, .low = numbers}
#define SIZED(one, axis, number) {.rule = SIZE_ALONG, .argument = one, .other = axis, .third = number}
#define COUNTED(one, number) {.rule = COUNT_OF_ELEMENTS, .argument = one, .other = number}
#define SINGLE(one) REDUCED(one, one, EVERY_AXIS)
/* What a function of the family's own knows; the text, unless it refuses with one of its own. */
#define FITS(function, text) {.rule = WHATEVER, .fits = function, .why = text}
#define NO_CHECKS(text) {.rule = NOTHING, .why = text}

/* A row has at least one: without, this does not compile. */
#define CHECKS(...) (const struct check[]){__VA_ARGS__, {.rule = NOTHING}}

/* Whether all checks of the plan's row hold. If not, `refusalText` tells what does not, until this thread refuses something again. */
bool planFits(const struct plan *plan);
/* False, having made the text. */
__attribute__((format(printf, 1, 2))) bool refuse(const char *format, ...);
const char *refusalText(void);
/* A shape in brackets, for a text. */
const char *shapeText(const struct aclTensor *tensor);

#endif
