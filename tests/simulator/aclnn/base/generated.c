/* Earlier calls of generated operators, for a thread; the key is the arguments without addresses. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../entry.h"
#include "../objects.h"

enum { KEPT = 64 };

struct generated {
    struct plan *matched[KEPT];
    unsigned int asked;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t ends;

static void forget(void *generated)
{
    struct generated *gone = generated;
    for (int at = 0; at < KEPT; at++) {
        free(gone->matched[at]);
    }
    free(gone);
}

static void prepare(void)
{
    (void)pthread_key_create(&ends, forget);
}

/* The thread's, until it ends; NULL without memory. */
static struct generated *own(void)
{
    pthread_once(&once, prepare);
    struct generated *generated = pthread_getspecific(ends);
    if (generated == NULL && (generated = calloc(1, sizeof *generated)) != NULL) {
        (void)pthread_setspecific(ends, generated);
    }
    return generated;
}

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
    struct generated *generated = own();
    if (generated == NULL || !aclsimHold(executor)) {
        return false;
    }
    const struct plan *plan = ((const aclOpExecutor *)executor)->plan;
    bool is_matched = false;
    for (int at = 0; at < KEPT && !is_matched; at++) {
        is_matched = isSame(plan, generated->matched[at]);
        *workspaceLen = is_matched ? generated->matched[at]->need : *workspaceLen;
    }
    if (!is_matched) {
        struct plan **oldest = &generated->matched[generated->asked++ % KEPT];
        free(*oldest);
        *oldest = planCopy(plan);
    }
    aclsimLetGo();
    return is_matched;
}
