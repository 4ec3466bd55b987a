/* Plans that are kept for a thread under the keys of its caller, as torch_npu has them kept.
 *
 * A cache hit is a separate executor, which phase two ends. Only callers that name a key get hits.
 * Generated operators have a separate cache of earlier calls; the key is the arguments. */
#include <stdlib.h>
#include <string.h>

#include "../entry.h"
#include "../objects.h"
#include "living.h"

enum { KEPT = 64, ADDRESSES = 512 };

static _Thread_local struct {
    uint64_t key; /* 0: none */
    struct plan *plan;
} kept[KEPT];
static _Thread_local unsigned int made;

static _Thread_local uint64_t key;
static _Thread_local void *addresses[ADDRESSES];
static _Thread_local int count;

void InitPTACacheThreadLocal(void)
{
    key = 0;
    count = 0;
}

void UnInitPTACacheThreadLocal(void)
{
    key = 0;
}

void SetPTAHashKey(uint64_t hash)
{
    key = hash;
}

/* FNV-1a */
static uint64_t hashOf(const uint8_t *bytes, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    return hash;
}

void SetPTACacheHashKey(uint8_t *bytes, size_t len)
{
    key = hashOf(bytes, len);
}

void AddTensorAddrToCachedList(void *addr)
{
    if (count < ADDRESSES) {
        addresses[count++] = addr;
    }
}

void _ZN13aclOpExecutor8AddCacheEv(aclOpExecutor *executor)
{
    if (key != 0) {
        free(kept[made % KEPT].plan);
        kept[made % KEPT].plan = planCopy(executor->plan);
        kept[made % KEPT].key = kept[made % KEPT].plan == NULL ? 0 : key;
        made++;
    }
}

bool _ZN2op8internal12GetFromCacheEPP13aclOpExecutorPm(aclOpExecutor **executor, uint64_t *workspaceSize)
{
    (void)executor;
    (void)workspaceSize;
    return false;
}

aclOpExecutor *PTAGetExecCache(uint64_t hash, uint64_t *workspaceSize)
{
    for (int at = 0; hash != 0 && at < KEPT; at++) {
        aclOpExecutor *executor = kept[at].key == hash ? objectNew(sizeof *executor) : NULL;
        if (executor == NULL) {
            continue;
        }
        struct plan *plan = planCopy(kept[at].plan);
        executor->plan = plan;
        if (plan == NULL) {
            (void)aclsimEndExecutor(executor);
            return NULL;
        }
        for (int i = 0; i < plan->count; i++) {
            plan->tensors[i] = NULL;
            plan->operands[i].data = i < count ? addresses[i] : plan->operands[i].data;
        }
        *workspaceSize = plan->need;
        return executor;
    }
    return NULL;
}

aclOpExecutor *PTAFindExecCache(uint8_t *buf, size_t len, uint64_t *workspaceSize)
{
    return PTAGetExecCache(hashOf(buf, len), workspaceSize);
}

/* The arguments of a generated operator's call, without addresses. */
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
