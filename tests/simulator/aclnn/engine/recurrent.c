/* LSTM and GRU of any number of layers, in one direction or both. */
#include "../../compute/recurrent.h"

#include <stdlib.h>
#include <string.h>

#include "operator.h"

/* Which arguments of an operator are what; -1: none. */
struct places {
    int x, params, h_first, c_first, has_bias, layers, two_ways, batch_first, batch_sizes, is_training;
    int y, h_last, c_last; /* forward: results; backward: gradients that come in, which may be absent */
    int kept[KEPT], h, c;  /* lists, one tensor for each layer and direction */
    int dx, dh, dc, dparams;
};

struct stack {
    const struct plan *plan;
    const struct places *places;
    bool is_lstm;
    int layers, ways, each; /* directions; parameters of each direction */
    int64_t steps, batch, hidden;
};

static const struct places lstm_places = {0, 1, 2, 2, 4, 5, 8, 9, 3, 7, 10, 11, 12, {13, 15, 14, 16, 19}, 17, 18, -1, -1, -1, -1};
static const struct places lstm_back = {0, 2, 1, 1, 14, 15, 18, 19, 13, -1, 3, 4, 5, {6, 8, 7, 9, 12}, 10, 11, 21, 22, 23, 24};
static const struct places gru_places = {0, 1, 2, -1, 4, 5, 8, 9, 3, 7, 10, 11, -1, {12, 13, 14, 15, -1}, 16, -1, -1, -1, -1, -1};
static const struct places gru_back = {0, 1, 2, -1, 11, 12, 13, 14, 10, -1, 3, 4, -1, {5, 6, 7, 8, -1}, 9, -1, 15, 16, -1, 17};

enum { LSTM = 1, BACKWARD = 2 };

static const struct places *placesOf(const struct plan *plan)
{
    bool is_backward = (plan->row->code & BACKWARD) != 0;
    return (plan->row->code & LSTM) != 0 ? (is_backward ? &lstm_back : &lstm_places) : (is_backward ? &gru_back : &gru_places);
}

/* Steps first. */
static struct aclTensor timed(const struct stack *stack, const struct aclTensor *tensor)
{
    struct aclTensor turned = *tensor;
    if (integerAt(stack->plan, stack->places->batch_first) != 0) {
        turned.dims[0] = tensor->dims[1];
        turned.dims[1] = tensor->dims[0];
        turned.strides[0] = tensor->strides[1];
        turned.strides[1] = tensor->strides[0];
    }
    return turned;
}

/* One of the tensor's parts along its first axis, or along its last. */
static struct aclTensor slice(const struct aclTensor *tensor, int axis, int64_t from, int64_t count)
{
    struct aclTensor part = *tensor;
    part.offset += from * part.strides[axis];
    part.dims[axis] = count;
    return part;
}

static double *zeros(int64_t count)
{
    return calloc((size_t)count + 1, sizeof(double));
}

static struct stack stackOf(const struct plan *plan)
{
    const struct places *places = placesOf(plan);
    struct stack stack = {.plan = plan, .places = places, .is_lstm = (plan->row->code & LSTM) != 0};
    struct aclTensor x = timed(&stack, tensorAt(plan, places->x));
    stack.layers = (int)integerAt(plan, places->layers);
    stack.ways = integerAt(plan, places->two_ways) != 0 ? 2 : 1;
    stack.each = integerAt(plan, places->has_bias) != 0 ? 4 : 2;
    stack.steps = x.dims[0];
    stack.batch = x.dims[1];
    stack.hidden = listedAt(plan, places->params, 1) == NULL ? 0 : listedAt(plan, places->params, 1)->dims[1];
    return stack;
}

/* Sequences of different lengths have no steps of their own here, and dropout between layers would need the chip's random numbers. */
static bool fits(const struct plan *plan)
{
    const struct places *places = placesOf(plan);
    const struct aclTensor *x = tensorAt(plan, places->x), *sizes = tensorAt(plan, places->batch_sizes);
    if (x->rank != 3 || (sizes != NULL && operandCount(sizes) > 0)) {
        return false;
    }
    for (int i = 0; i < plan->arguments_count; i++) {
        bool is_dropped = argumentAt(plan, i)->kind == 'd' && numberAt(plan, i) != 0 && integerAt(plan, places->layers) > 1;
        if (is_dropped && places->is_training >= 0 && integerAt(plan, places->is_training) != 0) {
            return false;
        }
    }
    int64_t given = integerAt(plan, places->layers);
    const struct aclTensor *hidden = listedAt(plan, places->params, 1);
    if (given < 1 || given > 1024 || hidden == NULL || hidden->rank != 2) {
        return refuse("argument %d is %lld, not from 1 to 1024 layers, or argument %d has no matrices", places->layers + 1, (long long)given, places->params + 1);
    }
    struct stack stack = stackOf(plan);
    int count = stack.layers * stack.ways;
    bool is_training = places->is_training < 0 || integerAt(plan, places->is_training) != 0;
    bool is_whole = stack.hidden > 0 && countAt(plan, places->h_first) == (stack.is_lstm ? 2 : 1) && countAt(plan, places->params) == count * stack.each;
    for (int i = 0; is_training && i < KEPT && places->kept[i] >= 0; i++) {
        is_whole = is_whole && countAt(plan, places->kept[i]) == count;
    }
    return is_whole && (!is_training || (countAt(plan, places->h) == count && (!stack.is_lstm || countAt(plan, places->c) == count)));
}

static const struct aclTensor *parameter(const struct stack *stack, int at, int which)
{
    return which < stack->each ? listedAt(stack->plan, stack->places->params, at * stack->each + which) : NULL;
}

static double *optional(const struct aclTensor *tensor)
{
    return tensor == NULL ? NULL : realsOf(tensor);
}

/* The initial states of a layer and direction: h is in the first tensor of a list, c in the second. */
static double *firstState(const struct stack *stack, int at, bool is_c)
{
    const struct aclTensor *states = listedAt(stack->plan, stack->places->h_first, is_c);
    struct aclTensor part = slice(states, 0, at, 1);
    return realsOf(&part);
}

static void end(struct recurrence *cell)
{
    const double *owned[] = {cell->w_in, cell->w_hidden, cell->b_in, cell->b_hidden, cell->h_first, cell->c_first, cell->h, cell->c};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free((void *)owned[i]);
    }
    for (int i = 0; i < KEPT; i++) {
        free(cell->kept[i]);
    }
}

/* A cell with its parameters. What is kept of its steps is read (backward), or room for it. */
static bool begin(const struct stack *stack, struct recurrence *cell, int at, const double *x, int64_t in, bool is_backward)
{
    const struct plan *plan = stack->plan;
    const struct places *places = stack->places;
    int64_t size = stack->steps * stack->batch * stack->hidden;
    *cell = (struct recurrence){stack->steps, stack->batch, in, stack->hidden, at % stack->ways == 1, .x = x};
    cell->w_in = optional(parameter(stack, at, 0));
    cell->w_hidden = optional(parameter(stack, at, 1));
    cell->b_in = optional(parameter(stack, at, 2));
    cell->b_hidden = optional(parameter(stack, at, 3));
    cell->h_first = firstState(stack, at, false);
    cell->c_first = stack->is_lstm ? firstState(stack, at, true) : NULL;
    bool is_ready = cell->w_in && cell->w_hidden && cell->h_first && (stack->each == 2 || (cell->b_in && cell->b_hidden));
    for (int i = 0; i < KEPT && places->kept[i] >= 0; i++) {
        cell->kept[i] = is_backward ? optional(listedAt(plan, places->kept[i], at)) : zeros(size);
        is_ready = is_ready && cell->kept[i];
    }
    cell->h = is_backward ? optional(listedAt(plan, places->h, at)) : zeros(size);
    if (stack->is_lstm) {
        cell->c = is_backward ? optional(listedAt(plan, places->c, at)) : zeros(size);
        is_ready = is_ready && cell->c && cell->c_first;
    }
    return is_ready && cell->h;
}

/* Stores one of `ways` directions along the last axis, or reads it. */
static void interleave(const struct stack *stack, int way, double *whole, double *part, bool is_reading)
{
    for (int64_t i = 0; i < stack->steps * stack->batch; i++) {
        double *one = whole + (i * stack->ways + way) * stack->hidden, *other = part + i * stack->hidden;
        memcpy(is_reading ? other : one, is_reading ? one : other, (size_t)stack->hidden * sizeof *one);
    }
}

static aclError storeCell(const struct stack *stack, const struct recurrence *cell, int at)
{
    const struct plan *plan = stack->plan;
    const struct places *places = stack->places;
    int64_t last = (cell->is_reversed || cell->steps == 0 ? 0 : cell->steps - 1) * stack->batch * stack->hidden;
    struct aclTensor h = slice(tensorAt(plan, places->h_last), 0, at, 1);
    aclError code = storeReals(&h, cell->h + last);
    if (code == ACL_SUCCESS && stack->is_lstm) {
        struct aclTensor c = slice(tensorAt(plan, places->c_last), 0, at, 1);
        code = storeReals(&c, cell->c + last);
    }
    if (integerAt(plan, places->is_training) == 0) {
        return code;
    }
    for (int i = 0; code == ACL_SUCCESS && i < KEPT && places->kept[i] >= 0; i++) {
        code = storeReals(listedAt(plan, places->kept[i], at), cell->kept[i]);
    }
    code = code == ACL_SUCCESS ? storeReals(listedAt(plan, places->h, at), cell->h) : code;
    return code == ACL_SUCCESS && stack->is_lstm ? storeReals(listedAt(plan, places->c, at), cell->c) : code;
}

static aclError forward(const struct plan *plan)
{
    struct stack stack = stackOf(plan);
    struct aclTensor in = timed(&stack, tensorAt(plan, stack.places->x)), out = timed(&stack, tensorAt(plan, stack.places->y));
    double *x = realsOf(&in);
    int64_t width = in.dims[2];
    aclError code = x ? ACL_SUCCESS : UNMAPPED;
    for (int layer = 0; code == ACL_SUCCESS && layer < stack.layers; layer++) {
        double *y = zeros(stack.steps * stack.batch * stack.hidden * stack.ways);
        for (int way = 0; code == ACL_SUCCESS && way < stack.ways; way++) {
            struct recurrence cell;
            int at = layer * stack.ways + way;
            bool is_ready = begin(&stack, &cell, at, x, width, false) && y;
            is_ready = is_ready && (stack.is_lstm ? lstmForward(&cell) : gruForward(&cell));
            code = is_ready ? storeCell(&stack, &cell, at) : UNMAPPED;
            if (is_ready) {
                interleave(&stack, way, y, cell.h, false);
            }
            end(&cell);
        }
        free(x);
        x = y;
        width = stack.hidden * stack.ways;
    }
    code = code == ACL_SUCCESS ? storeReals(&out, x) : code;
    free(x);
    return code;
}

/* The results of the layer below, from what was kept: what this layer read. */
static double *readBelow(const struct stack *stack, int layer, int64_t *width)
{
    const struct plan *plan = stack->plan;
    if (layer == 0) {
        struct aclTensor in = timed(stack, tensorAt(plan, stack->places->x));
        *width = in.dims[2];
        return realsOf(&in);
    }
    *width = stack->hidden * stack->ways;
    double *x = zeros(stack->steps * stack->batch * *width);
    for (int way = 0; x && way < stack->ways; way++) {
        double *h = optional(listedAt(plan, stack->places->h, (layer - 1) * stack->ways + way));
        if (h == NULL) {
            free(x);
            return NULL;
        }
        interleave(stack, way, x, h, false);
        free(h);
    }
    return x;
}

/* The gradient of a layer's last state: zeros where none comes in. */
static double *lastGradient(const struct stack *stack, int place, int at)
{
    const struct aclTensor *given = place < 0 ? NULL : tensorAt(stack->plan, place);
    if (given == NULL || operandCount(given) == 0) {
        return zeros(stack->batch * stack->hidden);
    }
    struct aclTensor part = slice(given, 0, at, 1);
    return realsOf(&part);
}

static aclError storeGradient(const struct stack *stack, const struct recurrence_gradient *gradient, int at)
{
    const struct plan *plan = stack->plan;
    const double *found[] = {gradient->dw_in, gradient->dw_hidden, gradient->db_in, gradient->db_hidden};
    aclError code = ACL_SUCCESS;
    for (int which = 0; code == ACL_SUCCESS && which < stack->each; which++) {
        const struct aclTensor *to = listedAt(plan, stack->places->dparams, at * stack->each + which);
        code = to ? storeReals(to, found[which]) : UNMAPPED;
    }
    struct aclTensor h = slice(tensorAt(plan, stack->places->dh), 0, at, 1);
    code = code == ACL_SUCCESS ? storeReals(&h, gradient->dh) : code;
    if (code == ACL_SUCCESS && stack->is_lstm) {
        struct aclTensor c = slice(tensorAt(plan, stack->places->dc), 0, at, 1);
        code = storeReals(&c, gradient->dc);
    }
    return code;
}

/* One direction of a layer; `dx` is added to. */
static aclError back(const struct stack *stack, int at, const double *x, int64_t width, double *dy, double *dx)
{
    int64_t rows = (stack->is_lstm ? 4 : 3) * stack->hidden;
    double *own = zeros(stack->steps * stack->batch * stack->hidden);
    struct recurrence_gradient gradient = {own, lastGradient(stack, stack->places->h_last, at), lastGradient(stack, stack->places->c_last, at), dx,
                                           zeros(rows * width), zeros(rows * stack->hidden), zeros(rows), zeros(rows)};
    struct recurrence cell;
    bool is_ready = begin(stack, &cell, at, x, width, true) && own && gradient.dh && gradient.dc && gradient.dw_in &&
                    gradient.dw_hidden && gradient.db_in && gradient.db_hidden;
    if (is_ready) {
        interleave(stack, at % stack->ways, dy, own, true);
        is_ready = stack->is_lstm ? lstmBackward(&cell, &gradient) : gruBackward(&cell, &gradient);
    }
    aclError code = is_ready ? storeGradient(stack, &gradient, at) : UNMAPPED;
    end(&cell);
    double *owned[] = {own, gradient.dh, gradient.dc, gradient.dw_in, gradient.dw_hidden, gradient.db_in, gradient.db_hidden};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free(owned[i]);
    }
    return code;
}

static aclError backward(const struct plan *plan)
{
    struct stack stack = stackOf(plan);
    const struct aclTensor *given = tensorAt(plan, stack.places->y);
    struct aclTensor out = timed(&stack, tensorAt(plan, stack.places->dx));
    double *dy = NULL;
    if (given == NULL || operandCount(given) == 0) {
        dy = zeros(stack.steps * stack.batch * stack.hidden * stack.ways);
    } else {
        struct aclTensor up = timed(&stack, given);
        dy = realsOf(&up);
    }
    aclError code = dy ? ACL_SUCCESS : UNMAPPED;
    for (int layer = stack.layers - 1; code == ACL_SUCCESS && layer >= 0; layer--) {
        int64_t width;
        double *x = readBelow(&stack, layer, &width), *dx = zeros(stack.steps * stack.batch * width);
        code = x && dx ? ACL_SUCCESS : UNMAPPED;
        for (int way = 0; code == ACL_SUCCESS && way < stack.ways; way++) {
            code = back(&stack, layer * stack.ways + way, x, width, dy, dx);
        }
        free(x);
        free(dy);
        dy = dx;
    }
    code = code == ACL_SUCCESS ? storeReals(&out, dy) : code;
    free(dy);
    return code;
}

/* A tensor of this many elements, or none if it may be absent. */
static bool hasCount(const struct aclTensor *tensor, int64_t count, bool may_be_absent)
{
    bool is_absent = tensor == NULL || operandCount(tensor) == 0;
    return (is_absent && may_be_absent) || (tensor != NULL && operandCount(tensor) == count);
}

/* States of all layers: one of each in the first axis. */
static bool hasStates(const struct aclTensor *tensor, const struct stack *stack, bool may_be_absent)
{
    int64_t count = (int64_t)stack->layers * stack->ways;
    bool is_absent = tensor == NULL || operandCount(tensor) == 0;
    return (is_absent && may_be_absent) ||
           (tensor != NULL && tensor->rank > 0 && tensor->dims[0] == count && operandCount(tensor) == count * stack->batch * stack->hidden);
}

static bool shapesFit(const struct plan *plan)
{
    struct stack stack = stackOf(plan);
    const struct places *places = stack.places;
    bool is_backward = (plan->row->code & BACKWARD) != 0;
    bool is_training = is_backward || integerAt(plan, places->is_training) != 0;
    int64_t count = (int64_t)stack.layers * stack.ways, size = stack.steps * stack.batch * stack.hidden, gates = (stack.is_lstm ? 4 : 3) * stack.hidden;
    for (int at = 0; at < count; at++) {
        int64_t width = at < stack.ways ? tensorAt(plan, places->x)->dims[2] : stack.hidden * stack.ways;
        const int64_t wanted[] = {gates * width, gates * stack.hidden, gates, gates};
        for (int which = 0; which < stack.each; which++) {
            int i = at * stack.each + which;
            if (!hasCount(parameter(&stack, at, which), wanted[which], false) || (is_backward && !hasCount(listedAt(plan, places->dparams, i), wanted[which], false))) {
                return refuse("parameter %d of argument %d has not %lld elements", i + 1, places->params + 1, (long long)wanted[which]);
            }
        }
        bool fits = true;
        for (int i = 0; is_training && i < KEPT && places->kept[i] >= 0; i++) {
            fits = fits && hasCount(listedAt(plan, places->kept[i], at), size, false);
        }
        fits = fits && (!is_training || hasCount(listedAt(plan, places->h, at), size, false));
        fits = fits && (!is_training || !stack.is_lstm || hasCount(listedAt(plan, places->c, at), size, false));
        if (!fits) {
            return refuse("what is kept of layer %d has not %lld elements each", at / stack.ways + 1, (long long)size);
        }
    }
    bool fits = hasStates(listedAt(plan, places->h_first, 0), &stack, false) && (!stack.is_lstm || hasStates(listedAt(plan, places->h_first, 1), &stack, false));
    const struct aclTensor *c_last = places->c_last < 0 ? NULL : tensorAt(plan, places->c_last), *y = tensorAt(plan, places->y);
    fits = fits && hasStates(tensorAt(plan, places->h_last), &stack, is_backward) && (!stack.is_lstm || hasStates(c_last, &stack, is_backward));
    fits = fits && hasCount(y, size * stack.ways, is_backward) && (y == NULL || y->rank == 3 || (is_backward && operandCount(y) == 0));
    if (fits && is_backward) {
        const struct aclTensor *x = tensorAt(plan, places->x), *dx = tensorAt(plan, places->dx);
        fits = operandSameShape(x, dx) && hasStates(tensorAt(plan, places->dh), &stack, false) &&
               (!stack.is_lstm || hasStates(tensorAt(plan, places->dc), &stack, false));
    }
    return fits || refuse("states or results are not those of %d layers with %lld numbers each", stack.layers, (long long)stack.hidden);
}

#define ROW(operator, letters, function, what) OPERATOR(operator, letters, function, CHECKS(FITS(fits, "the layers do not fit together"), FITS(shapesFit, "the shapes do not fit together")), .code = what)

/* The mask of the gradients that are asked for is not read: all are computed. */
const struct operator_row recurrentRows[] = {
    ROW("LSTM", "TLLtbndbbbTTTlllllll", forward, LSTM),
    ROW("LstmBackward", "TLLtttLLLLLLLtbndbbbnTTTL", backward, LSTM | BACKWARD),
    ROW("GRU", "TLTtbndbbbTTlllll", forward, 0),
    ROW("GRUBackward", "TLTTTLLLLLtbnbbTTL", backward, BACKWARD),
    {0},
};
