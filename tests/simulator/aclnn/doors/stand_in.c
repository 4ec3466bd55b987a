/* Operators of torch_npu's list that nothing computes: their results keep what was in their memory.
 *
 * Their signatures are unknown, but all of them end in the same two arguments, pointers to a size and to an executor. Callers keep both on
 * their stack: the first two neighbors among the arguments that point there are taken for them. Arguments that are indices are known from
 * their contracts, and are held to these. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../engine/indices.h"
#include "../entry.h"
#include "../operators/phase.h"
#include "call.h"
#include "more_names.h"

#define ONE(name) +1
enum { COUNT = 0 EVERY_OPERATOR(ONE), FRAMES = 1 << 16 };

static aclError nothing(const struct plan *plan)
{
    (void)plan;
    return ACL_SUCCESS;
}

static bool isStrict(void)
{
    const char *value = getenv("ACLSIM_OPERATORS");
    return value != NULL && strcmp(value, "strict") == 0;
}

static void say(int operator)
{
    static atomic_uchar said[COUNT];
    const char *quiet = getenv("ACLSIM_QUIET");
    if (!atomic_exchange(&said[operator], 1) && (quiet == NULL || strcmp(quiet, "1") != 0)) {
        fprintf(stderr,
                "aclsim: `%s` is not computed: its results are whatever their memory holds; ACLSIM_OPERATORS=strict makes it an "
                "error, and an issue with this name asks for it\n",
                operatorName(operator));
    }
}

/* Whether a word is the address of a caller's variable. Stacks grow down: callers' frames are above ours. */
static bool isCallers(uint64_t word)
{
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    return word > here && word - here < FRAMES && word % sizeof(void *) == 0;
}

/* An executor whose plan has the arguments that the operator's contracts name. */
static aclnnStatus plan(int operator, const struct door_call *call, aclOpExecutor **made)
{
    char letters[MOST_LETTERS];
    indicesLetters(operatorName(operator) + strlen("aclnn"), letters);
    aclsimHoldAll();
    aclnnStatus status = planArguments(operator, letters, call, made);
    aclsimLetGo();
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    (*made)->plan->compute = nothing;
    for (int i = 0; i < (*made)->plan->count; i++) {
        if (!operandFits(&(*made)->plan->operands[i])) {
            (void)aclsimEndExecutor(*made);
            return ACLNN_ERR_PARAM_INVALID;
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus standInPhaseOne(int operator, const struct door_call *call)
{
    say(operator);
    if (isStrict()) {
        return aclsimRefused(operatorName(operator), "ACLSIM_OPERATORS is not strict", ACLNN_ERR_PARAM_INVALID);
    }
    for (int i = 0; i + 1 < WORDS; i++) {
        uint64_t size = call->words[i], executor = call->words[i + 1];
        if (!isCallers(size) || !isCallers(executor) || size == executor) {
            continue;
        }
        aclOpExecutor *made = NULL;
        aclnnStatus status = plan(operator, call, &made);
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        return phaseEnd(made, (uint64_t *)(uintptr_t)size, (aclOpExecutor **)(uintptr_t)executor);
    }
    return ACLNN_ERR_PARAM_INVALID;
}
