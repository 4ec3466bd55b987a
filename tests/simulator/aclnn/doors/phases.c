/* From a caller's arguments to a plan, by the letters of the operator's row. */
#include <stdatomic.h>
#include <string.h>

#include "../engine/indices.h"
#include "../engine/operator.h"
#include "../entry.h"
#include "../operators/phase.h"
#include "call.h"
#include "more_names.h"

#define ONE(name) +1
enum { COUNT = 0 EVERY_OPERATOR(ONE) };

/* Rows that were looked up; `none` for a name without one. */
static const struct operator_row none;
static _Atomic(const struct operator_row *) found[COUNT];

static const struct operator_row *rowOf(int operator)
{
    const struct operator_row *row = atomic_load_explicit(&found[operator], memory_order_acquire);
    if (row == NULL) {
        row = rowNamed(operatorName(operator) + strlen("aclnn"));
        row = row == NULL ? &none : row;
        atomic_store_explicit(&found[operator], row, memory_order_release);
    }
    return row;
}

static bool isReal(char letter)
{
    return letter == 'd' || letter == 'f';
}

/* One word as its letter says. Upper bits of what is narrower than a register mean nothing. */
static int64_t narrowed(char letter, uint64_t word)
{
    switch (letter) {
    case 'b':
        return (uint8_t)word != 0;
    case 'c':
        return (int8_t)word;
    case 'e':
    case 'm':
        return (int32_t)word;
    default:
        return (int64_t)word;
    }
}

static int operandsOf(char letter, const void *given)
{
    if (given == NULL) {
        return 0;
    }
    return letter == 'T' || letter == 't' ? 1
           : letter == 'L' || letter == 'l' ? (int)((const struct aclTensorList *)given)->count
                                            : 0;
}

static int elementsOf(char letter, const void *given)
{
    if (given == NULL) {
        return 0;
    }
    switch (letter) {
    case 'I':
    case 'i':
        return (int)((const struct aclIntArray *)given)->count;
    case 'F':
        return (int)((const struct aclFloatArray *)given)->count;
    case 'B':
        return (int)((const struct aclBoolArray *)given)->count;
    case 'Z':
        return (int)((const struct aclScalarList *)given)->count;
    default:
        return 0;
    }
}

static double imaginaryOf(const struct aclScalar *scalar)
{
    if (scalar->type == ACL_COMPLEX64) {
        return ((const float *)(const void *)scalar->bytes)[1];
    }
    return scalar->type == ACL_COMPLEX128 ? ((const double *)(const void *)scalar->bytes)[1] : 0;
}

static void element(struct plan *plan, int at, const struct aclScalar *scalar)
{
    if (typeIsComplex(scalar->type)) {
        plan->reals[at] = scalar->type == ACL_COMPLEX64 ? (double)*(const float *)(const void *)scalar->bytes : *(const double *)(const void *)scalar->bytes;
        return;
    }
    const struct view view = {.type = scalar->type, .bytes = (unsigned char *)scalar->bytes};
    long double value = elementGet(&view, 0);
    plan->integers[at] = typeIsReal(scalar->type) && !(value > -9e18L && value < 9e18L) ? 0 : (int64_t)value;
    plan->reals[at] = (double)value;
}

static void array(struct plan *plan, const struct argument *argument, const void *given)
{
    for (int i = 0; i < argument->count; i++) {
        int at = argument->first + i;
        switch (argument->kind) {
        case 'F':
            plan->reals[at] = ((const struct aclFloatArray *)given)->values[i];
            break;
        case 'B':
            plan->integers[at] = ((const struct aclBoolArray *)given)->values[i];
            break;
        case 'Z':
            element(plan, at, &((const struct aclScalarList *)given)->scalars[i]);
            break;
        default:
            plan->integers[at] = ((const struct aclIntArray *)given)->values[i];
        }
    }
}

/* A single value of the plan: a scalar, or a number that was passed as such. */
static void value(struct argument *argument, const struct door_call *call, int word, int real)
{
    char letter = argument->kind;
    if (letter == 'd') {
        argument->number = call->reals[real];
    } else if (letter == 'f') {
        float low;
        memcpy(&low, &call->reals[real], sizeof low);
        argument->number = low;
    } else if (letter == 'q') {
        /* Its first characters, the very first in the lowest byte. */
        const char *text = (const char *)call->words[word];
        for (int i = 0; text != NULL && i < 7 && text[i] != 0; i++) {
            argument->integer |= (int64_t)(unsigned char)text[i] << 8 * i;
        }
    } else {
        argument->integer = narrowed(letter, call->words[word]);
        argument->number = (double)argument->integer;
        argument->is_whole = true;
    }
    if (isReal(letter)) {
        argument->integer = argument->number > -9e18 && argument->number < 9e18 ? (int64_t)argument->number : 0;
    }
}

static void take(struct plan *plan, const char *letters, const struct door_call *call)
{
    int word = 0, real = 0, operand = 0, at = 0;
    for (; *letters != '\0'; letters++) {
        struct argument *argument = &plan->arguments[plan->arguments_count++];
        const void *given = isReal(*letters) ? NULL : (const void *)call->words[word];
        argument->kind = *letters;
        if (strchr("TtLl", *letters) != NULL) {
            argument->is_absent = given == NULL;
            argument->first = operand;
            argument->count = operandsOf(*letters, given);
            for (int i = 0; i < argument->count; i++) {
                const aclTensor *tensor = *letters == 'T' || *letters == 't' ? given : ((const struct aclTensorList *)given)->tensors[i];
                plan->tensors[operand] = tensor;
                /* A list may have holes, which are tensors without elements here. */
                plan->operands[operand++] =
                    tensor == NULL ? (struct aclTensor){.type = ACL_FLOAT, .rank = 1, .strides = {1}} : *tensor;
            }
        } else if (strchr("IiFBZ", *letters) != NULL) {
            argument->is_absent = given == NULL;
            argument->first = at;
            argument->count = elementsOf(*letters, given);
            array(plan, argument, given);
            at += argument->count;
        } else if (*letters == 'S' || *letters == 's') {
            const struct aclScalar *scalar = given;
            argument->is_absent = scalar == NULL;
            if (scalar != NULL) {
                element(plan, at, scalar);
                argument->is_whole = !typeIsReal(scalar->type) && !typeIsComplex(scalar->type);
                argument->imaginary = imaginaryOf(scalar);
                argument->integer = plan->integers[at];
                argument->number = plan->reals[at];
            }
            at++;
        } else {
            value(argument, call, word, real);
        }
        word += !isReal(*letters);
        real += isReal(*letters);
    }
}

/* Whether the row's function takes such operands. */
static aclnnStatus fit(struct plan *plan, const struct operator_row *row)
{
    for (int i = 0; i < plan->count; i++) {
        bool is_complex = typeIsComplex(plan->operands[i].type);
        plan->compute = is_complex ? complexOf(row) : plan->compute;
        bool is_halves = row->takes_halves && plan->operands[i].type == ACL_INT4;
        if (plan->compute == NULL || (!is_complex && !is_halves && !typeIsKnown(plan->operands[i].type))) {
            (void)refuse("tensor %d has the type %d, which the operator does not take", i + 1, (int)plan->operands[i].type);
            return ACLNN_ERR_PARAM_INVALID;
        }
        struct aclTensor measured = plan->operands[i];
        measured.type = is_halves ? ACL_INT8 : measured.type;
        if (!operandFits(&measured) || (is_complex && plan->operands[i].rank == RANK)) { /* Pairs of numbers take one more axis. */
            (void)refuse("tensor %d has sizes, strides or an offset that no memory has", i + 1);
            return ACLNN_ERR_PARAM_INVALID;
        }
    }
    return planFits(plan) ? ACLNN_SUCCESS : ACLNN_ERR_PARAM_INVALID;
}

/* Whether the object of an argument was made and not destroyed; of a list, its tensors, too. The real library reads freed memory. */
static bool isAlive(char letter, const void *given)
{
    bool is_alive = given == NULL || aclsimIsObject(given);
    if (is_alive && given != NULL && (letter == 'L' || letter == 'l')) {
        const struct aclTensorList *list = given;
        for (uint64_t i = 0; is_alive && i < list->count; i++) {
            is_alive = isAlive('T', list->tensors[i]);
        }
    }
    return is_alive;
}

/* Counts operands and elements, and refuses what is missing. Objects are held. */
static aclnnStatus count(const char *first, const struct door_call *call, int *operands, int *values)
{
    int words = 0;
    for (const char *letters = first; *letters != '\0'; letters++) {
        if (isReal(*letters)) {
            continue;
        }
        const void *given = (const void *)call->words[words++];
        if (strchr("TLSZIFB", *letters) != NULL && given == NULL) {
            (void)refuse("argument %d is NULL", (int)(letters - first) + 1);
            return ACLNN_ERR_PARAM_NULLPTR;
        }
        if (strchr("TtLlSsZIiFB", *letters) != NULL && !isAlive(*letters, given)) {
            (void)refuse("argument %d is no object, or one that was destroyed, or a list with such a tensor", (int)(letters - first) + 1);
            return ACLNN_ERR_PARAM_NULLPTR;
        }
        *operands += operandsOf(*letters, given);
        *values += elementsOf(*letters, given) + (*letters == 'S' || *letters == 's');
    }
    return ACLNN_SUCCESS;
}

aclnnStatus planArguments(int operator, const char *letters, const struct door_call *call, aclOpExecutor **made)
{
    int operands = 0, values = 0;
    aclnnStatus status = count(letters, call, &operands, &values);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const char *name = operatorName(operator);
    struct unique_executor holder;
    _ZN14UniqueExecutorC1EPKc(&holder, name);
    aclOpExecutor *executor = holder.executor;
    (void)refuse("there is no memory for a plan");
    if (executor == NULL) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    executor->plan = aclsimPlan(operands, values);
    if (executor->plan == NULL) {
        (void)aclsimEndExecutor(executor);
        return ACLNN_ERR_INNER_NULLPTR;
    }
    executor->plan->name = name;
    executor->plan->indices_fit = indicesKnown(name + strlen("aclnn")) ? indicesFit : NULL;
    take(executor->plan, letters, call);
    *made = executor;
    return ACLNN_SUCCESS;
}

/* Arguments that are taken, as those of an operator that nothing computes. */
enum { BEYOND = -1 };

/* The executor with its plan. */
static aclnnStatus plan(int operator, const struct operator_row *row, const struct door_call *call, aclOpExecutor **made)
{
    const char *letters = row->arguments + (row->arguments[0] == '=');
    aclnnStatus status = planArguments(operator, letters, call, made);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    struct plan *plan = (*made)->plan;
    plan->row = row;
    plan->compute = row->compute;
    plan->shrinks = row->shrinks;
    status = row->is_beyond != NULL && row->is_beyond(plan) ? BEYOND : fit(plan, row);
    if (status != ACLNN_SUCCESS) {
        (void)aclsimEndExecutor(*made);
    }
    return status;
}

static int wordsOf(const char *letters)
{
    int words = 0;
    for (; *letters != '\0'; letters++) {
        words += *letters != '=' && !isReal(*letters);
    }
    return words;
}

aclnnStatus phaseOne(int operator, const struct door_call *call)
{
    char name[128];
    strcpy(name, operatorName(operator));
    strcat(name, "GetWorkspaceSize");
    aclError injected = aclsimInjected(name);
    if (injected != ACL_SUCCESS) {
        return aclsimFailed(name, injected);
    }
    const struct operator_row *row = rowOf(operator);
    if (row == &none) {
        return aclsimFailed(name, standInPhaseOne(operator, call));
    }
    /* The size and the executor come after the words of the letters. */
    const uint64_t *last = call->words + wordsOf(row->arguments);
    if (last[0] == 0 || last[1] == 0) {
        return aclsimRefusedFor(name, "where the workspace's size or the executor goes is NULL", ACLNN_ERR_PARAM_NULLPTR);
    }
    aclOpExecutor *executor = NULL;
    aclsimHoldAll();
    aclnnStatus status = plan(operator, row, call, &executor);
    aclsimLetGo();
    if (status == BEYOND) {
        return aclsimFailed(name, standInPhaseOne(operator, call));
    }
    if (status != ACLNN_SUCCESS) {
        return aclsimRefusedFor(name, refusalText(), status);
    }
    executor->plan->need = row->need == NULL ? 0 : row->need(executor->plan);
    return phaseEnd(executor, (uint64_t *)last[0], (aclOpExecutor **)last[1]);
}

aclnnStatus phaseTwo(int operator, void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    const char *name = operatorName(operator);
    aclError injected = aclsimInjected(name);
    if (injected != ACL_SUCCESS) {
        return aclsimFailed(name, injected);
    }
    /* Ends in a jump, as stacks of the real library have no frame between the operator and this function. */
    aclsimRunAs(name);
    return _Z19CommonOpExecutorRunPvmP13aclOpExecutorS_(workspace, workspaceSize, executor, stream);
}
