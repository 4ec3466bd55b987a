/* Indices, held to their contracts before an operator computes: one that is out of range is a trap, as on the cores, and is named. */
#include "indices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operator.h"

static const struct index_contract contracts[] = {
#include "index_contracts.h"
};

enum { CONTRACTS = sizeof contracts / sizeof *contracts };

bool indicesKnown(const char *operator)
{
    for (int i = 0; i < CONTRACTS; i++) {
        if (strcmp(contracts[i].operator, operator) == 0) {
            return true;
        }
    }
    return false;
}

/* The letter of what a bound comes from. */
static char letterOf(enum bound bound)
{
    switch (bound) {
    case BOUND_NUMBER:
    case BOUND_NOTHING:
        return 'n';
    case BOUND_BLOCKS:
    case BOUND_PLACES_OF_ROWS:
        return 'l';
    default:
        return 't';
    }
}

void indicesLetters(const char *operator, char letters[MOST_LETTERS])
{
    memset(letters, 0, MOST_LETTERS);
    int last = -1;
    for (int i = 0; i < CONTRACTS; i++) {
        const struct index_contract *contract = &contracts[i];
        if (strcmp(contract->operator, operator) != 0) {
            continue;
        }
        int named[] = {contract->argument, contract->of, contract->lengths, contract->size, contract->when[0].argument,
                       contract->when[1].argument, contract->bound == BOUND_AXIS_OF ? contract->axis : 0,
                       contract->none == NONE_ARGUMENT ? (int)contract->none_is : 0};
        for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
            last = named[k] > last ? named[k] : last;
        }
        letters[contract->of] = letterOf(contract->bound);
        letters[contract->argument] = contract->bound == BOUND_AXIS_OF_PLACE ? 'l' : 't';
        if (contract->bound == BOUND_BLOCKS) {
            letters[contract->lengths] = 'i';
        }
    }
    for (int at = 0; at <= last; at++) {
        letters[at] = letters[at] == '\0' ? 'n' : letters[at];
    }
}

/* Where the bound comes from; NULL if that is absent, or no tensor. */
static const struct aclTensor *sourceOf(const struct plan *plan, const struct index_contract *contract)
{
    switch (letterOf(contract->bound)) {
    case 'l':
        return countAt(plan, contract->of) > 0 ? listedAt(plan, contract->of, 0) : NULL;
    case 't':
        return tensorAt(plan, contract->of);
    default:
        return NULL;
    }
}

static int64_t rowsOf(const struct aclTensor *tensor)
{
    int64_t columns = tensor->rank == 0 ? 1 : tensor->dims[tensor->rank - 1];
    return columns == 0 ? 0 : operandCount(tensor) / columns;
}

/* The numbers must be below it; the axis that they number, or -1. */
static int64_t boundOf(const struct plan *plan, const struct index_contract *contract, const struct aclTensor *index, int place, int *axis)
{
    const struct aclTensor *of = sourceOf(plan, contract);
    int64_t number;
    *axis = -1;
    switch (contract->bound) {
    case BOUND_AXIS:
        *axis = axisOf(contract->axis, of->rank);
        break;
    case BOUND_AXIS_OF:
        *axis = axisOf(integerAt(plan, contract->axis), of->rank);
        break;
    case BOUND_CLASSES:
        *axis = of->rank > 1;
        break;
    case BOUND_AXIS_OF_PLACE:
        *axis = place;
        break;
    case BOUND_ELEMENTS:
        return operandCount(of);
    case BOUND_PLACES:
        return operandCount(of) + 1;
    case BOUND_SLOTS:
        return of->dims[0] * (of->dims[1] > of->dims[2] ? of->dims[1] : of->dims[2]);
    case BOUND_BLOCKS:
        *axis = 0;
        break;
    case BOUND_ROWS:
        return rowsOf(of) > operandCount(index) ? rowsOf(of) : operandCount(index);
    case BOUND_PLACES_OF_ROWS:
        return rowsOf(of) + 1;
    case BOUND_NUMBER:
        number = integerAt(plan, contract->of);
        return number > 0 ? number : INT64_MAX;
    case BOUND_NOTHING:
        return INT64_MAX;
    }
    return of->rank == 0 ? 1 : of->dims[*axis];
}

static void name(char *text, size_t room, const struct index_contract *contract, const struct aclTensor *index, int64_t at)
{
    if (index->rank < 2) {
        snprintf(text, room, "%s[%lld]", contract->index, (long long)at);
    } else if (index->rank == 2) {
        snprintf(text, room, "%s[%lld, %lld]", contract->index, (long long)(at / index->dims[1]), (long long)(at % index->dims[1]));
    } else {
        snprintf(text, room, "element %lld of %s", (long long)at, contract->index);
    }
}

/* Of a table, only the blocks are read that a sequence fills; none if that is not known. */
static bool isUsed(const struct plan *plan, const struct index_contract *contract, const struct aclTensor *table, int64_t at)
{
    if (contract->bound != BOUND_BLOCKS) {
        return true;
    }
    const struct argument *lengths = argumentAt(plan, contract->lengths);
    int64_t size = integerAt(plan, contract->size);
    if (table->rank != 2 || size <= 0 || (lengths->count != 1 && lengths->count != table->dims[0])) {
        return false;
    }
    int64_t row = at / table->dims[1], length = plan->integers[lengths->first + (lengths->count == 1 ? 0 : (int)row)];
    return length > 0 && at % table->dims[1] <= (length - 1) / size;
}

static bool isBroken(const struct plan *plan, const struct index_contract *contract, const struct aclTensor *index, int place)
{
    if (letterOf(contract->bound) != 'n' && sourceOf(plan, contract) == NULL) {
        return false;
    }
    int axis;
    int64_t below = boundOf(plan, contract, index, place, &axis), least = contract->wraps ? -below : 0;
    int64_t none = contract->none == NONE_ARGUMENT ? integerAt(plan, (int)contract->none_is) : contract->none_is;
    int64_t *numbers = integersOf(index), at = 0, count = numbers == NULL ? 0 : operandCount(index);
    while (at < count && ((numbers[at] >= least && numbers[at] < below) || (contract->none != NONE_NEVER && numbers[at] == none) ||
                          !isUsed(plan, contract, index, at))) {
        at++;
    }
    if (at < count) {
        char element[96], bound[96] = "it must not be negative", text[224];
        name(element, sizeof element, contract, index, at);
        if (axis >= 0) {
            snprintf(bound, sizeof bound, "axis %d of %s has %lld elements", axis, contract->of_name, (long long)below);
        } else if (contract->bound == BOUND_NUMBER && below < INT64_MAX) {
            snprintf(bound, sizeof bound, "%s is %lld", contract->of_name, (long long)below);
        } else if (contract->bound == BOUND_SLOTS) {
            snprintf(bound, sizeof bound, "%s has %lld slots", contract->of_name, (long long)below);
        } else if (contract->bound == BOUND_ROWS || contract->bound == BOUND_PLACES_OF_ROWS) {
            snprintf(bound, sizeof bound, "%s has %lld rows", contract->of_name, (long long)below - (contract->bound != BOUND_ROWS));
        } else if (below < INT64_MAX) {
            snprintf(bound, sizeof bound, "%s has %lld elements", contract->of_name, (long long)below - (contract->bound == BOUND_PLACES));
        }
        snprintf(text, sizeof text, "%s is %lld, but %s", element, (long long)numbers[at], bound);
        aclsimTrapSays(plan->name, text);
    }
    free(numbers);
    return at < count;
}

/* A list's tensors number the axes in turn; a mask takes as many as it has, and a tensor without elements leaves its own whole. */
static bool isListBroken(const struct plan *plan, const struct index_contract *contract)
{
    int axis = 0;
    for (int i = 0; i < countAt(plan, contract->argument); i++) {
        const struct aclTensor *index = listedAt(plan, contract->argument, i);
        bool is_mask = index->type == ACL_BOOL && operandCount(index) > 0;
        if (!is_mask && operandCount(index) > 0 && isBroken(plan, contract, index, axis)) {
            return true;
        }
        axis += is_mask ? index->rank : 1;
    }
    return false;
}

static bool isFor(const struct plan *plan, const struct index_contract *contract)
{
    bool is_for = true;
    for (int i = 0; i < contract->conditions; i++) {
        is_for = is_for && integerAt(plan, contract->when[i].argument) == contract->when[i].is;
    }
    return is_for;
}

bool indicesFit(const struct plan *plan)
{
    for (int i = 0; i < CONTRACTS; i++) {
        const struct index_contract *contract = &contracts[i];
        if (strcmp(contract->operator, plan->name + strlen("aclnn")) != 0 || !isFor(plan, contract)) {
            continue;
        }
        const struct aclTensor *index = contract->bound == BOUND_AXIS_OF_PLACE ? NULL : tensorAt(plan, contract->argument);
        if (contract->bound == BOUND_AXIS_OF_PLACE ? isListBroken(plan, contract) : index != NULL && isBroken(plan, contract, index, 0)) {
            return false;
        }
    }
    return true;
}
