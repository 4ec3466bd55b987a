/* Recurrent cells over all steps, in one direction. Compiled into every library whose operators are made of them. */
#ifndef SIMULATOR_RECURRENT_H
#define SIMULATOR_RECURRENT_H

#include <stdbool.h>
#include <stdint.h>

enum { KEPT = 5 };

/* Dense memory, steps first. Gates are in PyTorch's order: i f g o, and r z n. */
struct recurrence {
    int64_t steps, batch, in, hidden;
    bool is_reversed; /* from the last step to the first */
    const double *x;                 /* steps × batch × in */
    const double *w_in, *w_hidden;   /* a row of `in` or `hidden` numbers for each gate and unit */
    const double *b_in, *b_hidden;   /* NULL: none */
    const double *h_first, *c_first; /* batch × hidden */
    double *h, *c;                   /* steps × batch × hidden: the state after each step */
    double *kept[KEPT];              /* i f g o tanh(c), or r z n and the hidden part of n, of the same shape */
};

/* What flows back; all but the states is added to. */
struct recurrence_gradient {
    const double *dy; /* NULL: nothing from the results of the steps */
    double *dh, *dc;  /* of the last state, in the end of the first */
    double *dx, *dw_in, *dw_hidden, *db_in, *db_hidden;
};

/* False without memory. */
bool lstmForward(const struct recurrence *cell);
bool lstmBackward(const struct recurrence *cell, const struct recurrence_gradient *gradient);
bool gruForward(const struct recurrence *cell);
bool gruBackward(const struct recurrence *cell, const struct recurrence_gradient *gradient);

#endif
