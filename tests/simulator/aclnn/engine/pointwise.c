/* Operators element by element: their arguments in order are the function's, broadcast to the result. */
#include <string.h>

#include "operator.h"

enum { INPUTS = 4 };

struct inputs {
    const struct plan *plan;
    bool is_whole;
    int count;
    bool is_tensor[INPUTS];
    struct spread spreads[INPUTS], out;
    double reals[INPUTS];
    int64_t wholes[INPUTS];
};

static const struct aclTensor *resultOf(const struct plan *plan)
{
    return plan->row->arguments[0] == '=' ? &plan->operands[0] : &plan->operands[plan->count - 1];
}

/* How many arguments are inputs: a result of its own is the last one. */
static int inputsOf(const struct plan *plan)
{
    return plan->row->arguments[0] == '=' ? plan->arguments_count : plan->arguments_count - 1;
}

static void part(void *argument, int64_t from, int64_t to)
{
    const struct inputs *inputs = argument;
    const struct operator_row *row = inputs->plan->row;
    union {
        double reals[INPUTS][CHUNK];
        int64_t wholes[INPUTS][CHUNK];
    } in;
    /* A small tensor takes a small part of the 32 KiB: the rest would only empty the cache. Arguments that a function lacks are zeros. */
    int64_t most = inputs->out.count < CHUNK ? inputs->out.count : CHUNK;
    for (int input = 0; input < INPUTS; input++) {
        for (int64_t i = 0; !inputs->is_tensor[input] && i < most; i++) {
            if (inputs->is_whole) {
                in.wholes[input][i] = inputs->wholes[input];
            } else {
                in.reals[input][i] = inputs->reals[input];
            }
        }
    }
    for (int64_t at = from * CHUNK; at < to * CHUNK && at < inputs->out.count; at += CHUNK) {
        int64_t left = inputs->out.count - at, count = left < CHUNK ? left : CHUNK;
        for (int input = 0; input < inputs->count; input++) {
            if (inputs->is_tensor[input] && inputs->is_whole) {
                takeIntegers(&inputs->spreads[input], at, count, in.wholes[input]);
            } else if (inputs->is_tensor[input]) {
                takeReals(&inputs->spreads[input], at, count, in.reals[input]);
            }
        }
        if (inputs->is_whole) {
            for (int64_t i = 0; i < count; i++) {
                in.wholes[0][i] = row->whole(in.wholes[0][i], in.wholes[1][i], in.wholes[2][i], in.wholes[3][i]);
            }
            putIntegers(&inputs->out, at, count, in.wholes[0]);
        } else {
            for (int64_t i = 0; i < count; i++) {
                in.reals[0][i] = row->real(in.reals[0][i], in.reals[1][i], in.reals[2][i], in.reals[3][i]);
            }
            putReals(&inputs->out, at, count, in.reals[0]);
        }
        /* A constant first argument was overwritten by the results. */
        for (int64_t i = 0; !inputs->is_tensor[0] && i < count; i++) {
            if (inputs->is_whole) {
                in.wholes[0][i] = inputs->wholes[0];
            } else {
                in.reals[0][i] = inputs->reals[0];
            }
        }
    }
}

aclError pointwise(const struct plan *plan)
{
    const struct aclTensor *out = resultOf(plan);
    struct inputs inputs = {.plan = plan, .is_whole = plan->row->whole != NULL && !typeIsReal(out->type)};
    for (int i = 0; i < inputsOf(plan); i++) {
        const struct argument *argument = argumentAt(plan, i);
        if (argument->kind == 'e' || argument->kind == 'q' || inputs.count == INPUTS) {
            continue;
        }
        int input = inputs.count++;
        const struct aclTensor *tensor = tensorAt(plan, i);
        inputs.is_tensor[input] = tensor != NULL;
        if (tensor != NULL && !spreadOver(&inputs.spreads[input], tensor, out->rank, out->dims)) {
            return UNMAPPED;
        }
        inputs.is_whole = inputs.is_whole && (tensor != NULL ? !typeIsReal(tensor->type) : argument->is_whole);
        inputs.reals[input] = argument->number;
        inputs.wholes[input] = argument->integer;
    }
    if (!spreadOf(&inputs.out, out)) {
        return UNMAPPED;
    }
    inParallel((inputs.out.count + CHUNK - 1) / CHUNK, 20.0 * CHUNK, part, &inputs);
    return ACL_SUCCESS;
}
