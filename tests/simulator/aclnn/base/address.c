/* New addresses for the tensors of an executor that runs again. */
#include "../entry.h"
#include "../objects.h"

static aclnnStatus move(aclOpExecutor *executor, aclTensor *tensor, void *address)
{
    if (tensor == NULL) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    if (aclsimHold(tensor)) {
        tensor->data = address;
        aclsimLetGo();
    }
    if (!aclsimHold(executor)) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    for (int i = 0; i < executor->plan->count; i++) {
        if (executor->plan->tensors[i] == tensor) {
            executor->plan->operands[i].data = address;
        }
    }
    aclsimLetGo();
    return ACLNN_SUCCESS;
}

static aclnnStatus moveOf(aclOpExecutor *executor, size_t index, aclTensorList *tensors, void *address)
{
    if (tensors == NULL) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    if (index >= tensors->count) {
        return ACLNN_ERR_PARAM_INVALID;
    }
    return move(executor, (aclTensor *)tensors->tensors[index], address);
}

/* One tensor is one operand here, whatever its place in the operator's list. */
#define ONE(name) \
    aclnnStatus name(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr) \
    { \
        ENTER(); \
        (void)index; \
        ANSWER(move(executor, tensor, addr)); \
    }
#define OF_A_LIST(name) \
    aclnnStatus name(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex, aclTensorList *tensors, \
                     void *addr) \
    { \
        ENTER(); \
        (void)irIndex; \
        ANSWER(moveOf(executor, relativeIndex, tensors, addr)); \
    }

ONE(aclSetInputTensorAddr)
ONE(aclSetOutputTensorAddr)
ONE(aclSetTensorAddr)
ONE(AclSetInputTensorAddr)
ONE(AclSetOutputTensorAddr)
ONE(AclSetTensorAddr)
OF_A_LIST(aclSetDynamicInputTensorAddr)
OF_A_LIST(aclSetDynamicOutputTensorAddr)
OF_A_LIST(aclSetDynamicTensorAddr)
OF_A_LIST(AclSetDynamicInputTensorAddr)
OF_A_LIST(AclSetDynamicOutputTensorAddr)
OF_A_LIST(AclSetDynamicTensorAddr)
