/* Earlier calls of generated operators, for a thread; the key is the arguments without addresses. */
#include <stdlib.h>
#include <string.h>

#include "../entry.h"
#include "../objects.h"

enum { KEPT = 64 };

static _Thread_local struct plan *matched[KEPT];
static _Thread_local unsigned int asked;

static bool isSame(const struct plan *one, const struct plan *other)
{
    bool is_same = other != NULL && one->compute == other->compute && one->count == other->count;
    for (int i = 0; is_same && i < one->count; i++) {
        struct aclTensor left = one->operands[i], right = other->operands[i];
        left.data = right.data = NULL;
        is_same = memcmp(&left, &right, sizeof left) == 0;
    }
    return is_same && memcmp(one->numbers, other->numbers, sizeof one->numbers) == 0;
}

bool NnopbaseMatchArgs(void *executor, uint64_t *workspaceLen)
{
    const struct plan *plan = ((const aclOpExecutor *)executor)->plan;
    for (int at = 0; at < KEPT; at++) {
        if (isSame(plan, matched[at])) {
            *workspaceLen = matched[at]->need;
            return true;
        }
    }
    free(matched[asked % KEPT]);
    matched[asked++ % KEPT] = planCopy(plan);
    return false;
}
