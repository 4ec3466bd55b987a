/* ACLSIM_FAIL=function@n[=code][,...]: the n-th call of a function fails. `sync`
 * means the n-th task that any stream runs; its code surfaces at the next
 * synchronize, as a device fault does. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../aclnn/exports.h"
#include "../compute/exports.h"
#include "../exports.h"
#include "../media/picture/exports.h"
#include "settings.h"

struct plan {
    char function[64];
    unsigned long nth;
    aclError code;
    _Atomic unsigned long calls;
};

#define MOST_PLANS 32

static struct plan plans[MOST_PLANS];
static size_t plan_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define NAME_STRING(name) #name,
static const char *const names[] = {
    ACL_EXPORTS(NAME_STRING) DVPP_EXPORTS(NAME_STRING) DVPP_MPI_EXPORTS(NAME_STRING)
    COMPUTE_EXPORTS(NAME_STRING) ACLNN_EXPORTS(NAME_STRING) MEDIA_EXPORTS(NAME_STRING) "sync",
};

static bool isName(const char *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Allocators run out of memory, queued work traps, the rest meets a driver error. */
static aclError usualCode(const char *function)
{
    if (strcasestr(function, "malloc")) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    return strcmp(function, "sync") == 0 ? ACL_ERROR_RT_AICORE_EXCEPTION : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

static bool parse(const char *item, struct plan *plan)
{
    int used = 0;
    if (sscanf(item, "%63[A-Za-z0-9_]@%lu%n", plan->function, &plan->nth, &used) != 2) {
        return false;
    }
    plan->code = usualCode(plan->function);
    if (item[used] == '=') {
        char *end = NULL;
        plan->code = (aclError)strtol(item + used + 1, &end, 10);
        return *end == '\0' && end != item + used + 1 && plan->code != ACL_SUCCESS && plan->nth > 0 &&
               isName(plan->function);
    }
    return item[used] == '\0' && plan->nth > 0 && isName(plan->function);
}

static void readPlans(void)
{
    const char *text = getenv("ACLSIM_FAIL");
    char *copy = text ? strdup(text) : NULL;
    char *rest = copy;
    for (char *item; copy && (item = strsep(&rest, ",")) != NULL;) {
        if (*item && plan_count < MOST_PLANS && parse(item, &plans[plan_count])) {
            plan_count++;
        } else if (*item) {
            settingRefused("ACLSIM_FAIL", item, "function@n or function@n=code with a function that exists");
        }
    }
    free(copy);
}

aclError aclsimInjected(const char *function)
{
    pthread_once(&once, readPlans);
    for (size_t i = 0; i < plan_count; i++) {
        if (strcmp(function, plans[i].function) == 0 && ++plans[i].calls == plans[i].nth) {
            return plans[i].code;
        }
    }
    return ACL_SUCCESS;
}
