/* Contracts of operators that take indices: which argument, and below which number it must be. */
#ifndef SIMULATOR_ACLNN_INDICES_H
#define SIMULATOR_ACLNN_INDICES_H

#include "../objects.h"

enum bound {
    BOUND_AXIS,          /* the size of tensor `of` along `axis` */
    BOUND_AXIS_OF,       /* the same along the axis that argument `axis` is */
    BOUND_CLASSES,       /* along the second axis, or the only one */
    BOUND_AXIS_OF_PLACE, /* along the axis that is the index's place in its list */
    BOUND_ELEMENTS,      /* the elements of tensor `of` */
    BOUND_PLACES,        /* one more */
    BOUND_SLOTS,         /* slots of a paged cache: blocks times the larger of the next two axes */
    BOUND_BLOCKS,        /* blocks of the first cache of list `of`, as far as `lengths` fill blocks of `size` */
    BOUND_ROWS,          /* rows of tensor `of`, or the elements of the index if these are more */
    BOUND_PLACES_OF_ROWS, /* one more than the rows of the first tensor of list `of` */
    BOUND_NUMBER,        /* argument `of`, if it is positive */
    BOUND_NOTHING,       /* no number is too large */
};

/* Whether a number stands for none: never, a number, or what an argument is. */
enum none { NONE_NEVER, NONE_NUMBER, NONE_ARGUMENT };

struct index_contract {
    const char *operator, *index;
    int argument;
    enum bound bound;
    int of;
    const char *of_name;
    int axis;
    bool wraps; /* negative numbers count from the end */
    enum none none;
    int64_t none_is;
    int lengths, size;
    int conditions; /* numbers that other arguments must be for the contract to hold */
    struct {
        int argument;
        int64_t is;
    } when[2];
};

/* The operator's arguments as letters of a row, as far as its contracts name them; "" if it has none. */
enum { MOST_LETTERS = ARGUMENTS + 1 };
void indicesLetters(const char *operator, char letters[MOST_LETTERS]);
bool indicesKnown(const char *operator);
/* Whether all indices of the plan are in range. If not, says which is not. */
bool indicesFit(const struct plan *plan);

#endif
