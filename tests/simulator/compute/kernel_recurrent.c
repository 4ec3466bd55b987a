/* DynamicRNN and DynamicGRUV2, one layer in one direction, and their gradients. Names and order of tensors are those of the operators' definitions. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "recurrent.h"

/* What a cell is made from: our gates' order, and the attribute that names the caller's. */
struct kind {
    int gates;
    char order[5];
};

static const struct kind lstm = {4, "ifjo"}, gru = {3, "rzh"};

static double *read(const struct view *view)
{
    int64_t count = elementCount(&view->shape);
    double *values = malloc(((size_t)count + 1) * sizeof *values);
    for (int64_t i = 0; values && i < count; i++) {
        values[i] = (double)elementGet(view, i);
    }
    return values;
}

static void write(const struct view *view, const double *values)
{
    for (int64_t i = 0; i < elementCount(&view->shape); i++) {
        elementPut(view, i, values[i]);
    }
}

static double *zeros(int64_t count)
{
    return calloc((size_t)count + 1, sizeof(double));
}

/* Where one of our gates is in the caller's order. */
static int gateAt(const struct kind *kind, const aclopAttr *attributes, int gate)
{
    int64_t order = attributeInteger(attributes, "gate_order", attributeText(kind == &lstm ? "ijfo" : "zrh"));
    for (int i = 0; i < kind->gates; i++) {
        if ((char)(order >> 8 * i) == kind->order[gate]) {
            return i;
        }
    }
    return -1;
}

/* Exchanges rows (ours: a gate's unit each) with columns (the caller's), of `count` inputs. Biases have one input. */
static void turn(const struct kind *kind, const aclopAttr *attributes, int64_t hidden, int64_t count, double *rows, double *columns,
                 bool is_reading)
{
    for (int gate = 0; gate < kind->gates; gate++) {
        for (int64_t unit = 0; unit < hidden; unit++) {
            for (int64_t k = 0; k < count; k++) {
                double *ours = rows + (gate * hidden + unit) * count + k;
                double *theirs = columns + k * kind->gates * hidden + gateAt(kind, attributes, gate) * hidden + unit;
                *(is_reading ? ours : theirs) = *(is_reading ? theirs : ours);
            }
        }
    }
}

static double *readTurned(const struct kind *kind, const aclopAttr *attributes, const struct view *view, int64_t hidden, int64_t from, int64_t count)
{
    double *theirs = read(view), *ours = zeros(kind->gates * hidden * count);
    if (theirs && ours) {
        turn(kind, attributes, hidden, count, ours, theirs + from * kind->gates * hidden, true);
    }
    free(theirs);
    return ours;
}

/* Shapes of the definitions, time first, and what all attributes but those of the gates' order must be. */
static bool fits(const struct kind *kind, const aclopAttr *attributes, const struct view *x, const struct view *one, int64_t columns,
                 const struct view *states)
{
    bool is_plain = attributeInteger(attributes, "time_major", 1) != 0 && attributeInteger(attributes, "use_peephole", 0) == 0 &&
                    attributeInteger(attributes, "num_proj", 0) == 0 && attributeFloat(attributes, "cell_clip", -1) < 0 &&
                    attributeFloat(attributes, "forget_bias", 0) == 0 && attributeInteger(attributes, "reset_after", 1) != 0 &&
                    attributeInteger(attributes, "activation", attributeText("tanh")) == attributeText("tanh");
    for (int gate = 0; gate < kind->gates; gate++) {
        is_plain = is_plain && gateAt(kind, attributes, gate) >= 0;
    }
    if (!is_plain || x->shape.rank != 3 || one->shape.rank != 2 || states->shape.rank != 3) {
        return false;
    }
    int64_t hidden = states->shape.dims[2];
    return states->shape.dims[0] == x->shape.dims[0] && states->shape.dims[1] == x->shape.dims[1] &&
           one->shape.dims[0] == (columns == 0 ? x->shape.dims[2] + hidden : columns) && one->shape.dims[1] == kind->gates * hidden;
}

static bool isThere(const struct view *view)
{
    return elementBytes(view->type) != 0;
}

/* Whether neighboring tensors have this many elements each, as far as they are given. */
static bool haveCount(const struct view *views, int from, int to, int64_t count)
{
    for (int i = from; i <= to; i++) {
        if (isThere(&views[i]) && elementCount(&views[i].shape) != count) {
            return false;
        }
    }
    return true;
}

static bool haveShape(const struct view *one, const struct view *other, int count)
{
    for (int i = 0; i < count; i++) {
        if (elementCount(&one[i].shape) != elementCount(&other[i].shape)) {
            return false;
        }
    }
    return true;
}

/* Elements of one step's state. */
static int64_t stateCount(const struct view *states)
{
    return states->shape.dims[1] * states->shape.dims[2];
}

static struct recurrence cellOf(const struct view *x, const struct view *states, const aclopAttr *attributes)
{
    const int64_t *dims = x->shape.dims;
    bool is_reversed = (char)attributeInteger(attributes, "direction", 'U') == 'R';
    return (struct recurrence){dims[0], dims[1], dims[2], states->shape.dims[2], is_reversed, .x = read(x)};
}

static double *firstOf(const struct view *view, const struct recurrence *cell)
{
    return isThere(view) ? read(view) : zeros(cell->batch * cell->hidden);
}

static void end(struct recurrence *cell)
{
    const double *owned[] = {cell->x, cell->w_in, cell->w_hidden, cell->b_in, cell->b_hidden, cell->h_first, cell->c_first, cell->h, cell->c};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free((void *)owned[i]);
    }
    for (int i = 0; i < KEPT; i++) {
        free(cell->kept[i]);
    }
}

/* Room for what a forward run keeps, or what it kept. */
static bool keep(struct recurrence *cell, int count, const struct view *kept, const int *places)
{
    bool is_ready = true;
    for (int i = 0; i < count; i++) {
        cell->kept[i] = kept == NULL ? zeros(cell->steps * cell->batch * cell->hidden) : read(&kept[places[i]]);
        is_ready = is_ready && cell->kept[i];
    }
    return is_ready;
}

enum { RNN_X, RNN_W, RNN_B, RNN_LENGTHS, RNN_H, RNN_C, RNN_INPUTS };
enum { RNN_OUT_Y, RNN_OUT_H, RNN_OUT_C, RNN_OUT_I, RNN_OUT_J, RNN_OUT_F, RNN_OUT_O, RNN_OUT_TANH, RNN_OUTPUTS };

/* Sequences of different lengths are not computed. */
static bool rnnFits(const struct view *in, const aclopAttr *attributes, const struct view *out)
{
    return !isThere(&in[RNN_LENGTHS]) && fits(&lstm, attributes, &in[RNN_X], &in[RNN_W], 0, &out[RNN_OUT_H]) &&
           haveCount(in, RNN_B, RNN_B, in[RNN_W].shape.dims[1]) && haveCount(in, RNN_H, RNN_C, stateCount(&out[RNN_OUT_H])) &&
           haveCount(out, RNN_OUT_Y, RNN_OUT_TANH, elementCount(&out[RNN_OUT_H].shape)) && isThere(&in[RNN_B]);
}

static bool rnn(const struct view *in, const aclopAttr *attributes, const struct view *out)
{
    static const int kept[KEPT] = {RNN_OUT_I, RNN_OUT_F, RNN_OUT_J, RNN_OUT_O, RNN_OUT_TANH};
    struct recurrence cell = cellOf(&in[RNN_X], &out[RNN_OUT_H], attributes);
    int64_t size = cell.steps * cell.batch * cell.hidden;
    cell.w_in = readTurned(&lstm, attributes, &in[RNN_W], cell.hidden, 0, cell.in);
    cell.w_hidden = readTurned(&lstm, attributes, &in[RNN_W], cell.hidden, cell.in, cell.hidden);
    cell.b_in = readTurned(&lstm, attributes, &in[RNN_B], cell.hidden, 0, 1);
    cell.h_first = firstOf(&in[RNN_H], &cell);
    cell.c_first = firstOf(&in[RNN_C], &cell);
    cell.h = zeros(size);
    cell.c = zeros(size);
    bool is_ready = keep(&cell, KEPT, NULL, NULL) && cell.x && cell.w_in && cell.w_hidden && cell.b_in && cell.h_first && cell.c_first &&
                    cell.h && cell.c && lstmForward(&cell);
    if (is_ready) {
        write(&out[RNN_OUT_Y], cell.h);
        write(&out[RNN_OUT_H], cell.h);
        write(&out[RNN_OUT_C], cell.c);
    }
    for (int i = 0; is_ready && i < KEPT; i++) {
        write(&out[kept[i]], cell.kept[i]);
    }
    end(&cell);
    return is_ready;
}

/* Mask and peepholes after the lengths are not read, and torch_npu passes lengths without a dimension for none. */
enum { BACK_X, BACK_W, BACK_B, BACK_Y, BACK_H_FIRST, BACK_C_FIRST, BACK_H, BACK_C, BACK_DY, BACK_DH, BACK_DC, BACK_I, BACK_J, BACK_F, BACK_O,
       BACK_TANH, BACK_LENGTHS, BACK_INPUTS };
enum { BACK_DW, BACK_DB, BACK_DX, BACK_DH_FIRST, BACK_DC_FIRST, BACK_OUTPUTS };

static bool rnnBackFits(const struct view *in, const aclopAttr *attributes, const struct view *out)
{
    return in[BACK_LENGTHS].shape.rank == 0 && fits(&lstm, attributes, &in[BACK_X], &in[BACK_W], 0, &in[BACK_H]) &&
           haveCount(in, BACK_H_FIRST, BACK_C_FIRST, stateCount(&in[BACK_H])) && haveCount(in, BACK_DH, BACK_DC, stateCount(&in[BACK_H])) &&
           haveCount(in, BACK_C, BACK_DY, elementCount(&in[BACK_H].shape)) &&
           haveCount(in, BACK_I, BACK_TANH, elementCount(&in[BACK_H].shape)) && haveCount(out, BACK_DB, BACK_DB, in[BACK_W].shape.dims[1]) &&
           haveShape(&out[BACK_DW], &in[BACK_W], 1) && haveShape(&out[BACK_DX], &in[BACK_X], 1) &&
           haveCount(out, BACK_DH_FIRST, BACK_DC_FIRST, stateCount(&in[BACK_H]));
}

struct room {
    double *dx, *dw_in, *dw_hidden, *db_in, *db_hidden, *dc, *dy, *dh;
};

static bool prepare(struct room *room, const struct kind *kind, const struct recurrence *cell, const struct view *dy, const struct view *dh,
                    const struct view *dc)
{
    int64_t rows = kind->gates * cell->hidden;
    room->dx = zeros(cell->steps * cell->batch * cell->in);
    room->dw_in = zeros(rows * cell->in);
    room->dw_hidden = zeros(rows * cell->hidden);
    room->db_in = zeros(rows);
    room->db_hidden = zeros(rows);
    room->dy = read(dy);
    room->dh = read(dh);
    room->dc = dc == NULL ? zeros(cell->batch * cell->hidden) : read(dc);
    return room->dx && room->dw_in && room->dw_hidden && room->db_in && room->db_hidden && room->dy && room->dh && room->dc;
}

static struct recurrence_gradient gradientOf(const struct room *room)
{
    return (struct recurrence_gradient){room->dy, room->dh, room->dc, room->dx, room->dw_in, room->dw_hidden, room->db_in, room->db_hidden};
}

static void drop(struct room *room)
{
    double *owned[] = {room->dx, room->dw_in, room->dw_hidden, room->db_in, room->db_hidden, room->dy, room->dh, room->dc};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free(owned[i]);
    }
}

/* A gradient of a parameter, or of two that the caller keeps in one. */
static bool writeTurned(const struct kind *kind, const aclopAttr *attributes, const struct view *view, int64_t hidden, double *one, int64_t count,
                        double *other, int64_t others)
{
    double *theirs = zeros(kind->gates * hidden * (count + others));
    if (theirs == NULL) {
        return false;
    }
    turn(kind, attributes, hidden, count, one, theirs, false);
    if (other != NULL) {
        turn(kind, attributes, hidden, others, other, theirs + count * kind->gates * hidden, false);
    }
    write(view, theirs);
    free(theirs);
    return true;
}

static bool rnnBack(const struct view *in, const aclopAttr *attributes, const struct view *out)
{
    static const int kept[KEPT] = {BACK_I, BACK_F, BACK_J, BACK_O, BACK_TANH};
    struct recurrence cell = cellOf(&in[BACK_X], &in[BACK_H], attributes);
    struct room room;
    cell.w_in = readTurned(&lstm, attributes, &in[BACK_W], cell.hidden, 0, cell.in);
    cell.w_hidden = readTurned(&lstm, attributes, &in[BACK_W], cell.hidden, cell.in, cell.hidden);
    cell.h_first = read(&in[BACK_H_FIRST]);
    cell.c_first = read(&in[BACK_C_FIRST]);
    cell.h = read(&in[BACK_H]);
    cell.c = read(&in[BACK_C]);
    bool is_ready = prepare(&room, &lstm, &cell, &in[BACK_DY], &in[BACK_DH], &in[BACK_DC]) && keep(&cell, KEPT, in, kept) && cell.x &&
                    cell.w_in && cell.w_hidden && cell.h_first && cell.c_first && cell.h && cell.c;
    struct recurrence_gradient gradient = gradientOf(&room);
    is_ready = is_ready && lstmBackward(&cell, &gradient) &&
               writeTurned(&lstm, attributes, &out[BACK_DW], cell.hidden, room.dw_in, cell.in, room.dw_hidden, cell.hidden) &&
               writeTurned(&lstm, attributes, &out[BACK_DB], cell.hidden, room.db_in, 1, NULL, 0);
    if (is_ready) {
        write(&out[BACK_DX], room.dx);
        write(&out[BACK_DH_FIRST], room.dh);
        write(&out[BACK_DC_FIRST], room.dc);
    }
    end(&cell);
    drop(&room);
    return is_ready;
}

enum { GRU_X, GRU_W_IN, GRU_W_HIDDEN, GRU_B_IN, GRU_B_HIDDEN, GRU_LENGTHS, GRU_H, GRU_INPUTS };
enum { GRU_OUT_Y, GRU_OUT_H, GRU_OUT_UPDATE, GRU_OUT_RESET, GRU_OUT_NEW, GRU_OUT_HIDDEN, GRU_OUTPUTS };

static bool gruFits(const struct view *in, const aclopAttr *attributes, const struct view *out)
{
    return !isThere(&in[GRU_LENGTHS]) && fits(&gru, attributes, &in[GRU_X], &in[GRU_W_IN], in[GRU_X].shape.dims[2], &out[GRU_OUT_H]) &&
           haveCount(in, GRU_W_HIDDEN, GRU_W_HIDDEN, in[GRU_W_IN].shape.dims[1] * out[GRU_OUT_H].shape.dims[2]) &&
           haveCount(in, GRU_B_IN, GRU_B_HIDDEN, in[GRU_W_IN].shape.dims[1]) && haveCount(in, GRU_H, GRU_H, stateCount(&out[GRU_OUT_H])) &&
           haveCount(out, GRU_OUT_Y, GRU_OUT_HIDDEN, elementCount(&out[GRU_OUT_H].shape));
}

static bool gruRun(const struct view *in, const aclopAttr *attributes, const struct view *out)
{
    static const int kept[] = {GRU_OUT_RESET, GRU_OUT_UPDATE, GRU_OUT_NEW, GRU_OUT_HIDDEN};
    struct recurrence cell = cellOf(&in[GRU_X], &out[GRU_OUT_H], attributes);
    cell.w_in = readTurned(&gru, attributes, &in[GRU_W_IN], cell.hidden, 0, cell.in);
    cell.w_hidden = readTurned(&gru, attributes, &in[GRU_W_HIDDEN], cell.hidden, 0, cell.hidden);
    cell.b_in = isThere(&in[GRU_B_IN]) ? readTurned(&gru, attributes, &in[GRU_B_IN], cell.hidden, 0, 1) : NULL;
    cell.b_hidden = isThere(&in[GRU_B_HIDDEN]) ? readTurned(&gru, attributes, &in[GRU_B_HIDDEN], cell.hidden, 0, 1) : NULL;
    cell.h_first = firstOf(&in[GRU_H], &cell);
    cell.h = zeros(cell.steps * cell.batch * cell.hidden);
    bool is_ready = keep(&cell, 4, NULL, NULL) && cell.x && cell.w_in && cell.w_hidden && cell.h_first && cell.h && gruForward(&cell);
    if (is_ready) {
        write(&out[GRU_OUT_Y], cell.h);
        write(&out[GRU_OUT_H], cell.h);
    }
    for (int i = 0; is_ready && i < 4; i++) {
        write(&out[kept[i]], cell.kept[i]);
    }
    end(&cell);
    return is_ready;
}

enum { GRAD_X, GRAD_W_IN, GRAD_W_HIDDEN, GRAD_Y, GRAD_H_FIRST, GRAD_H, GRAD_DY, GRAD_DH, GRAD_UPDATE, GRAD_RESET, GRAD_NEW, GRAD_HIDDEN,
       GRAD_LENGTHS, GRAD_INPUTS };
enum { GRAD_DW_IN, GRAD_DW_HIDDEN, GRAD_DB_IN, GRAD_DB_HIDDEN, GRAD_DX, GRAD_DH_FIRST, GRAD_OUTPUTS };

static bool gruBackFits(const struct view *in, const aclopAttr *attributes, const struct view *out)
{
    return in[GRAD_LENGTHS].shape.rank == 0 &&
           fits(&gru, attributes, &in[GRAD_X], &in[GRAD_W_IN], in[GRAD_X].shape.dims[2], &in[GRAD_H]) &&
           haveCount(in, GRAD_W_HIDDEN, GRAD_W_HIDDEN, in[GRAD_W_IN].shape.dims[1] * in[GRAD_H].shape.dims[2]) &&
           haveCount(in, GRAD_H_FIRST, GRAD_H_FIRST, stateCount(&in[GRAD_H])) && haveCount(in, GRAD_DH, GRAD_DH, stateCount(&in[GRAD_H])) &&
           haveCount(in, GRAD_DY, GRAD_DY, elementCount(&in[GRAD_H].shape)) &&
           haveCount(in, GRAD_UPDATE, GRAD_HIDDEN, elementCount(&in[GRAD_H].shape)) && haveShape(&out[GRAD_DW_IN], &in[GRAD_W_IN], 2) &&
           haveCount(out, GRAD_DB_IN, GRAD_DB_HIDDEN, in[GRAD_W_IN].shape.dims[1]) && haveShape(&out[GRAD_DX], &in[GRAD_X], 1) &&
           haveCount(out, GRAD_DH_FIRST, GRAD_DH_FIRST, stateCount(&in[GRAD_H]));
}

static bool gruBack(const struct view *in, const aclopAttr *attributes, const struct view *out)
{
    static const int kept[] = {GRAD_RESET, GRAD_UPDATE, GRAD_NEW, GRAD_HIDDEN};
    struct recurrence cell = cellOf(&in[GRAD_X], &in[GRAD_H], attributes);
    struct room room;
    cell.w_in = readTurned(&gru, attributes, &in[GRAD_W_IN], cell.hidden, 0, cell.in);
    cell.w_hidden = readTurned(&gru, attributes, &in[GRAD_W_HIDDEN], cell.hidden, 0, cell.hidden);
    cell.h_first = read(&in[GRAD_H_FIRST]);
    cell.h = read(&in[GRAD_H]);
    bool is_ready = prepare(&room, &gru, &cell, &in[GRAD_DY], &in[GRAD_DH], NULL) && keep(&cell, 4, in, kept) && cell.x && cell.w_in &&
                    cell.w_hidden && cell.h_first && cell.h;
    struct recurrence_gradient gradient = gradientOf(&room);
    is_ready = is_ready && gruBackward(&cell, &gradient) &&
               writeTurned(&gru, attributes, &out[GRAD_DW_IN], cell.hidden, room.dw_in, cell.in, NULL, 0) &&
               writeTurned(&gru, attributes, &out[GRAD_DW_HIDDEN], cell.hidden, room.dw_hidden, cell.hidden, NULL, 0) &&
               writeTurned(&gru, attributes, &out[GRAD_DB_IN], cell.hidden, room.db_in, 1, NULL, 0) &&
               writeTurned(&gru, attributes, &out[GRAD_DB_HIDDEN], cell.hidden, room.db_hidden, 1, NULL, 0);
    if (is_ready) {
        write(&out[GRAD_DX], room.dx);
        write(&out[GRAD_DH_FIRST], room.dh);
    }
    end(&cell);
    drop(&room);
    return is_ready;
}

const struct wide_kernel recurrent_kernels[] = {
    {"DynamicRNN", RNN_INPUTS, RNN_OUTPUTS, rnnFits, rnn},
    {"DynamicRNNGrad", BACK_INPUTS, BACK_OUTPUTS, rnnBackFits, rnnBack},
    {"DynamicGRUV2", GRU_INPUTS, GRU_OUTPUTS, gruFits, gruRun},
    {"DynamicGRUV2Grad", GRAD_INPUTS, GRAD_OUTPUTS, gruBackFits, gruBack},
    {0},
};
