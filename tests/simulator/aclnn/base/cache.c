/* Plans that are kept for a thread under the keys of its caller, as torch_npu has them kept.
 *
 * A key holds all arguments but the addresses; those come in the order of the arguments. A hit is a separate executor, which phase two
 * ends. Source of the calls' order and of DISABLE_L2_CACHE: opbase, src/nnopbase/common/utils/op_cache.cpp. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/aclsim.h"
#include "../entry.h"
#include "../objects.h"
#include "living.h"

/* torch_npu's keys have at most 8192 bytes, and its lists of tensors are split before they are as long as this. */
enum { SETS = 256, WAYS = 4, KEY = 8192, ADDRESSES = 1024, OPERATOR = 96 };

struct kept {
    uint64_t hash;
    char operator[OPERATOR]; /* empty: the caller did not say */
    struct plan *plan;
    size_t length; /* 0: the hash is all that is known of the key */
    uint8_t bytes[];
};

struct cache {
    struct kept *kept[SETS][WAYS];
    unsigned int made[SETS];
    /* The call that is prepared on this thread. */
    uint64_t hash; /* 0: no key */
    size_t length;
    uint8_t bytes[KEY];
    char operator[OPERATOR];
    int count; /* may be above ADDRESSES, which no plan matches */
    void *addresses[ADDRESSES];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t ends;
static _Thread_local struct cache *mine;
static atomic_uint_fast64_t reused;

static void drop(struct kept *kept)
{
    if (kept != NULL) {
        free(kept->plan);
        free(kept);
    }
}

static void forget(void *cache)
{
    struct cache *gone = cache;
    for (int set = 0; set < SETS; set++) {
        for (int way = 0; way < WAYS; way++) {
            drop(gone->kept[set][way]);
        }
    }
    free(gone);
    mine = NULL;
}

static void prepare(void)
{
    (void)pthread_key_create(&ends, forget);
}

/* The thread's cache; NULL without memory. */
static struct cache *cache(void)
{
    if (mine == NULL) {
        pthread_once(&once, prepare);
        mine = calloc(1, sizeof *mine);
        (void)pthread_setspecific(ends, mine);
    }
    return mine;
}

bool CanUsePTACache(const char *api)
{
    struct cache *own = getenv("DISABLE_L2_CACHE") == NULL ? cache() : NULL;
    if (own == NULL) {
        return false;
    }
    own->operator[0] = '\0';
    strncat(own->operator, api == NULL ? "" : api, OPERATOR - 1);
    return true;
}

static void restart(void)
{
    if (cache() != NULL) {
        mine->hash = 0;
        mine->length = 0;
        mine->count = 0;
    }
}

void InitPTACacheThreadLocal(void)
{
    restart();
}

void UnInitPTACacheThreadLocal(void)
{
    restart();
}

void ResetCacheThreadLocal(void)
{
    restart();
}

void SetPTAHashKey(uint64_t hash)
{
    if (cache() != NULL) {
        mine->hash = hash;
        mine->length = 0;
    }
}

/* FNV-1a; never 0. */
static uint64_t hashOf(const uint8_t *bytes, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    return hash == 0 ? 1 : hash;
}

void SetPTACacheHashKey(uint8_t *bytes, size_t len)
{
    if (cache() == NULL) {
        return;
    }
    bool is_key = bytes != NULL && len > 0 && len <= KEY;
    mine->hash = is_key ? hashOf(bytes, len) : 0;
    mine->length = is_key ? len : 0;
    memcpy(mine->bytes, is_key ? bytes : mine->bytes, mine->length);
}

void AddTensorAddrToCachedList(void *addr)
{
    if (cache() != NULL && mine->count <= ADDRESSES) {
        mine->count++;
        mine->addresses[mine->count <= ADDRESSES ? mine->count - 1 : 0] = addr;
    }
}

static bool isOf(const struct kept *kept, const struct cache *own)
{
    return kept != NULL && kept->hash == own->hash && kept->length == own->length && strcmp(kept->operator, own->operator) == 0 &&
           memcmp(kept->bytes, own->bytes, own->length) == 0;
}

static int setOf(const struct cache *own)
{
    return (int)((own->hash ^ own->hash >> 32) % SETS);
}

static void keep(struct cache *own, struct kept *kept)
{
    int set = setOf(own), at = 0;
    while (at < WAYS && !isOf(own->kept[set][at], own)) {
        at++;
    }
    at = at < WAYS ? at : (int)(own->made[set]++ % WAYS);
    drop(own->kept[set][at]);
    own->kept[set][at] = kept;
}

void cacheBegin(const char *operator)
{
    if (mine != NULL && mine->operator[0] != '\0' && strcmp(mine->operator, operator) != 0) {
        mine->hash = 0;
    }
}

/* Whether the addresses that came with the key are those of the plan. A key that an earlier call left behind, since it failed before
 * its phase one, would otherwise stand for another call's arguments. */
static bool isAsSaid(const struct plan *plan, const struct cache *own)
{
    int at = 0;
    for (int i = 0; i < plan->count; i++) {
        /* Holes in a list have no address. */
        if (plan->tensors[i] != NULL && (at >= own->count || at >= ADDRESSES || own->addresses[at++] != plan->operands[i].data)) {
            return false;
        }
    }
    return at == own->count;
}

void _ZN13aclOpExecutor8AddCacheEv(aclOpExecutor *executor)
{
    struct cache *own = mine;
    /* Sizes that only the run knows go into the caller's tensor, which a kept plan does not have. */
    if (own == NULL || own->hash == 0 || executor->plan->shrinks || !isAsSaid(executor->plan, own)) {
        return;
    }
    struct kept *kept = calloc(1, sizeof *kept + own->length);
    struct plan *plan = planCopy(executor->plan);
    if (kept == NULL || plan == NULL) {
        free(kept);
        free(plan);
        return;
    }
    kept->hash = own->hash;
    kept->length = own->length;
    kept->plan = plan;
    memcpy(kept->operator, own->operator, sizeof kept->operator);
    memcpy(kept->bytes, own->bytes, own->length);
    keep(own, kept);
    own->hash = 0;
}

bool _ZN2op8internal12GetFromCacheEPP13aclOpExecutorPm(aclOpExecutor **executor, uint64_t *workspaceSize)
{
    (void)executor;
    (void)workspaceSize;
    return false;
}

/* An executor with a plan and the addresses of this call; NULL if they do not match. */
static aclOpExecutor *hit(const struct plan *kept, const struct cache *own)
{
    struct plan *plan = planCopy(kept);
    int at = 0;
    for (int i = 0; plan != NULL && i < plan->count; i++) {
        if (plan->tensors[i] != NULL) {
            plan->operands[i].data = at < own->count && at < ADDRESSES ? own->addresses[at] : NULL;
            at++;
        }
        plan->tensors[i] = NULL;
    }
    aclOpExecutor *executor = plan != NULL && at == own->count ? objectNew(sizeof *executor) : NULL;
    if (executor == NULL) {
        free(plan);
        return NULL;
    }
    executor->plan = plan;
    atomic_fetch_add(&reused, 1);
    return executor;
}

static aclOpExecutor *find(uint64_t *workspaceSize)
{
    const struct cache *own = mine;
    int set = own == NULL ? 0 : setOf(own);
    for (int at = 0; own != NULL && own->hash != 0 && at < WAYS; at++) {
        const struct kept *kept = own->kept[set][at];
        if (isOf(kept, own)) {
            *workspaceSize = kept->plan->need;
            return hit(kept->plan, own);
        }
    }
    return NULL;
}

aclOpExecutor *PTAGetExecCache(uint64_t hash, uint64_t *workspaceSize)
{
    SetPTAHashKey(hash);
    return find(workspaceSize);
}

aclOpExecutor *PTAFindExecCache(uint8_t *buf, size_t len, uint64_t *workspaceSize)
{
    SetPTACacheHashKey(buf, len);
    return find(workspaceSize);
}

ACLSIM_ENTRY uint64_t aclsimPlansReused(void)
{
    return atomic_load(&reused);
}
