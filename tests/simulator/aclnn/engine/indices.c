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

/* What the numbers must be below; the axis that they number, or -1. */
static int64_t boundOf(const struct plan *plan, const struct index_contract *contract, int place, int *axis)
{
    const struct aclTensor *of = contract->bound == BOUND_NUMBER || contract->bound == BOUND_NOTHING ? NULL : tensorAt(plan, contract->of);
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
    case BOUND_NUMBER:
        return integerAt(plan, contract->of);
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

static bool isBroken(const struct plan *plan, const struct index_contract *contract, const struct aclTensor *index, int place)
{
    int axis;
    int64_t below = boundOf(plan, contract, place, &axis), least = contract->wraps ? -below : 0;
    int64_t none = contract->none == NONE_ARGUMENT ? integerAt(plan, (int)contract->none_is) : contract->none_is;
    int64_t *numbers = integersOf(index), at = 0, count = numbers == NULL ? 0 : operandCount(index);
    while (at < count && ((numbers[at] >= least && numbers[at] < below) || (contract->none != NONE_NEVER && numbers[at] == none))) {
        at++;
    }
    if (at < count) {
        char element[96], bound[96] = "it must not be negative", text[224];
        name(element, sizeof element, contract, index, at);
        if (axis >= 0) {
            snprintf(bound, sizeof bound, "axis %d of %s has %lld elements", axis, contract->of_name, (long long)below);
        } else if (contract->bound == BOUND_NUMBER) {
            snprintf(bound, sizeof bound, "%s is %lld", contract->of_name, (long long)below);
        } else if (contract->bound == BOUND_SLOTS) {
            snprintf(bound, sizeof bound, "%s has %lld slots", contract->of_name, (long long)below);
        } else if (contract->bound != BOUND_NOTHING) {
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

bool indicesFit(const struct plan *plan)
{
    for (int i = 0; i < CONTRACTS; i++) {
        const struct index_contract *contract = &contracts[i];
        if (strcmp(contract->operator, plan->row->name) != 0) {
            continue;
        }
        const struct aclTensor *index = contract->bound == BOUND_AXIS_OF_PLACE ? NULL : tensorAt(plan, contract->argument);
        if (contract->bound == BOUND_AXIS_OF_PLACE ? isListBroken(plan, contract) : index != NULL && isBroken(plan, contract, index, 0)) {
            return false;
        }
    }
    return true;
}
