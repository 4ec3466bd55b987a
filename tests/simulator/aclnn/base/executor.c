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
    return plan->compute(plan);
}

static aclnnStatus submit(const aclOpExecutor *executor, void *workspace, aclrtStream stream)
{
    struct plan *plan = planCopy(executor->plan);
    if (plan == NULL) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    plan->workspace = workspace;
    return aclsimEnqueue(stream, run, free, plan);
}

aclnnStatus _Z19CommonOpExecutorRunPvmP13aclOpExecutorS_(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    ENTER();
    REQUIRE(executor != NULL, ACLNN_ERR_PARAM_NULLPTR);
    REQUIRE(aclsimIsObject(executor), ACLNN_ERR_INNER_NULLPTR);
    if (workspaceSize > 0 && workspace == NULL) {
        aclsimEndExecutor(executor);
        ANSWER(ACLNN_ERR_PARAM_NULLPTR);
    }
    aclnnStatus status = submit(executor, workspace, stream);
    if (!executor->is_repeatable) {
        aclsimEndExecutor(executor);
    }
    ANSWER(status);
}

aclnnStatus NnopbaseRunForWorkspace(void *executor, uint64_t *workspaceLen)
{
    ENTER();
    REQUIRE(executor != NULL && workspaceLen != NULL, ACLNN_ERR_PARAM_NULLPTR);
    *workspaceLen = ((aclOpExecutor *)executor)->plan->need;
    return ACLNN_SUCCESS;
}

aclnnStatus NnopbaseRunWithWorkspace(void *executor, aclrtStream stream, void *workspace, uint64_t workspaceLen)
{
    ENTER();
    REQUIRE(executor != NULL, ACLNN_ERR_PARAM_NULLPTR);
    REQUIRE(aclsimIsObject(executor), ACLNN_ERR_INNER_NULLPTR);
    REQUIRE(workspaceLen == 0 || workspace != NULL, ACLNN_ERR_PARAM_NULLPTR);
    const aclOpExecutor *plan = executor;
    REQUIRE(workspaceLen >= plan->plan->need, ACLNN_ERR_PARAM_INVALID);
    aclnnStatus status = submit(plan, workspace, stream);
    if (!plan->is_repeatable) {
        aclsimEndExecutor(plan);
    }
    ANSWER(status);
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    ENTER();
    REQUIRE(executor != NULL && aclsimIsObject(executor), ACLNN_ERR_INNER_NULLPTR);
    executor->is_repeatable = true;
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
