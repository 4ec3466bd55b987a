#include "phase.h"

#include "../entry.h"

aclOpExecutor *phaseBegin(const aclTensor *const tensors[], int count, aclnnStatus *status)
{
    *status = ACLNN_ERR_PARAM_NULLPTR;
    for (int i = 0; i < count; i++) {
        if (tensors[i] == NULL || !aclsimIsObject(tensors[i])) {
            return NULL;
        }
    }
    *status = ACLNN_ERR_PARAM_INVALID;
    for (int i = 0; i < count; i++) {
        if (!operandFits(tensors[i])) {
            return NULL;
        }
    }
    struct unique_executor holder;
    _ZN14UniqueExecutorC1EPKc(&holder, __func__);
    aclOpExecutor *executor = holder.executor;
    *status = executor == NULL ? ACLNN_ERR_INNER_NULLPTR : ACLNN_SUCCESS;
    if (executor != NULL && (executor->plan = aclsimPlan(count, 0)) == NULL) {
        *status = ACLNN_ERR_INNER_NULLPTR;
        (void)aclsimEndExecutor(executor);
        return NULL;
    }
    for (int i = 0; executor != NULL && i < count; i++) {
        executor->plan->operands[i] = *tensors[i];
        executor->plan->tensors[i] = tensors[i];
    }
    return executor;
}

aclnnStatus phaseRefuse(aclOpExecutor *executor)
{
    (void)aclsimEndExecutor(executor);
    return ACLNN_ERR_PARAM_INVALID;
}

aclnnStatus phaseEnd(aclOpExecutor *made, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    *workspaceSize = _ZNK13aclOpExecutor16GetWorkspaceSizeEv(made);
    *executor = made;
    _ZN13aclOpExecutor8AddCacheEv(made);
    return ACLNN_SUCCESS;
}

aclnnStatus phaseEndGenerated(aclOpExecutor *made, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    made->is_generated = true;
    *executor = made;
    if (NnopbaseMatchArgs(made, workspaceSize)) {
        return ACLNN_SUCCESS;
    }
    return NnopbaseRunForWorkspace(made, workspaceSize);
}
