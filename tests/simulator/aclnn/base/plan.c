/* Plans: one block of memory each, so that a copy is one copy. */
#include <stdlib.h>
#include <string.h>

#include "../entry.h"
#include "../objects.h"
#include "living.h"

/* Points the plan's arrays into its own block. */
static void settle(struct plan *plan)
{
    plan->operands = (struct aclTensor *)(plan + 1);
    plan->tensors = (const aclTensor **)(plan->operands + plan->count);
    plan->integers = (int64_t *)(plan->tensors + plan->count);
    plan->reals = (double *)(plan->integers + plan->values);
}

struct plan *aclsimPlan(int operands, int values)
{
    size_t size = sizeof(struct plan) + (size_t)operands * (sizeof(struct aclTensor) + sizeof(aclTensor *)) +
                  (size_t)values * (sizeof(int64_t) + sizeof(double));
    struct plan *plan = calloc(1, size);
    if (plan != NULL) {
        plan->size = size;
        plan->count = operands;
        plan->values = values;
        settle(plan);
    }
    return plan;
}

struct plan *planCopy(const struct plan *plan)
{
    struct plan *copy = malloc(plan->size);
    if (copy != NULL) {
        memcpy(copy, plan, plan->size);
        settle(copy);
    }
    return copy;
}

bool aclsimEndExecutor(const aclOpExecutor *executor)
{
    if (!aclsimHold(executor)) {
        return false;
    }
    free(executor->plan);
    (void)objectEnd(executor);
    aclsimLetGo();
    return true;
}
