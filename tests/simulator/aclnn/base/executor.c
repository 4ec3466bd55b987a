/* Executors: the two ways from phase one to phase two, and what ends an executor. */
#include <stdlib.h>

#include "../entry.h"
#include "../objects.h"
#include "living.h"

void _ZN14UniqueExecutorC1EPKc(void *self, const char *funcName)
{
    cacheBegin(funcName);
    *(struct unique_executor *)self = (struct unique_executor){funcName, objectNew(sizeof(aclOpExecutor))};
}

uint64_t _ZNK13aclOpExecutor16GetWorkspaceSizeEv(const aclOpExecutor *executor)
{
    return executor->plan->need;
}

static aclError run(void *argument)
{
    const struct plan *plan = argument;
    if (plan->indices_fit != NULL && !plan->indices_fit(plan)) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    aclError code = plan->compute(plan);
    if (code == ACL_ERROR_RT_AICORE_EXCEPTION) {
        aclsimTrapSays(plan->name, "an address is not mapped");
    }
    return code;
}

/* A copy of a live executor's plan; the executor ends unless it runs again, so that of two threads with one executor one gets the plan. */
static struct plan *take(const aclOpExecutor *executor)
{
    if (!aclsimHold(executor)) {
        return NULL;
    }
    struct plan *plan = planCopy(executor->plan);
    if (!executor->is_repeatable) {
        aclsimEndExecutor(executor);
    }
    aclsimLetGo();
    return plan;
}

static aclnnStatus submit(struct plan *plan, void *workspace, aclrtStream stream)
{
    plan->workspace = workspace;
    return aclsimEnqueue(stream, run, free, plan);
}

static _Thread_local const char *run_as;

void aclsimRunAs(const char *name)
{
    run_as = name;
}

static aclnnStatus runNow(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    if (executor == NULL) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    if (workspaceSize > 0 && workspace == NULL) {
        return aclsimEndExecutor(executor) ? ACLNN_ERR_PARAM_NULLPTR : ACLNN_ERR_INNER_NULLPTR;
    }
    struct plan *plan = take(executor);
    return plan == NULL ? ACLNN_ERR_INNER_NULLPTR : submit(plan, workspace, stream);
}

aclnnStatus _Z19CommonOpExecutorRunPvmP13aclOpExecutorS_(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    const char *name = run_as == NULL ? __func__ : run_as;
    run_as = NULL;
    aclError injected = aclsimInjected(__func__);
    return aclsimFailed(name, injected != ACL_SUCCESS ? injected : runNow(workspace, workspaceSize, executor, stream));
}

aclnnStatus NnopbaseRunForWorkspace(void *executor, uint64_t *workspaceLen)
{
    ENTER();
    REQUIRE(executor != NULL && workspaceLen != NULL, ACLNN_ERR_PARAM_NULLPTR);
    REQUIRE(aclsimHold(executor), ACLNN_ERR_INNER_NULLPTR);
    *workspaceLen = ((aclOpExecutor *)executor)->plan->need;
    aclsimLetGo();
    return ACLNN_SUCCESS;
}

aclnnStatus NnopbaseRunWithWorkspace(void *executor, aclrtStream stream, void *workspace, uint64_t workspaceLen)
{
    ENTER();
    REQUIRE(executor != NULL, ACLNN_ERR_PARAM_NULLPTR);
    REQUIRE(aclsimHold(executor), ACLNN_ERR_INNER_NULLPTR);
    bool is_given = workspaceLen == 0 || workspace != NULL, is_enough = workspaceLen >= ((const aclOpExecutor *)executor)->plan->need;
    struct plan *plan = is_given && is_enough ? take(executor) : NULL;
    aclsimLetGo();
    REQUIRE(is_given, ACLNN_ERR_PARAM_NULLPTR);
    REQUIRE(is_enough, ACLNN_ERR_PARAM_INVALID);
    REQUIRE(plan != NULL, ACLNN_ERR_INNER_NULLPTR);
    ANSWER(submit(plan, workspace, stream));
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    ENTER();
    REQUIRE(executor != NULL && aclsimHold(executor), ACLNN_ERR_INNER_NULLPTR);
    executor->is_repeatable = true;
    aclsimLetGo();
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
    ENTER();
    REQUIRE(executor != NULL && aclsimEndExecutor(executor), ACLNN_ERR_INNER_NULLPTR);
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnInit(const char *configPath)
{
    (void)configPath;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnFinalize(void)
{
    return ACLNN_SUCCESS;
}
