/* aclnnMatmul of two matrices, which accumulates in its workspace. */
#include "../entry.h"
#include "phase.h"

static aclError compute(const struct plan *plan)
{
    const struct aclTensor *a = &plan->operands[0], *b = &plan->operands[1], *c = &plan->operands[2];
    if (operandCount(c) == 0) {
        return ACL_SUCCESS;
    }
    struct view left = operandView(a), right = operandView(b), out = operandView(c);
    float *sums = deviceWindow(plan->workspace, plan->need);
    if (left.bytes == NULL || right.bytes == NULL || out.bytes == NULL || sums == NULL) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    int64_t rows = c->dims[0], columns = c->dims[1], depth = a->dims[1];
    for (int64_t i = 0; i < rows * columns; i++) {
        sums[i] = 0;
        for (int64_t k = 0; k < depth; k++) {
            sums[i] += (float)(elementGet(&left, operandPosition(a, a, i / columns * depth + k)) *
                               elementGet(&right, operandPosition(b, b, k * columns + i % columns)));
        }
    }
    for (int64_t i = 0; i < rows * columns; i++) {
        elementPut(&out, operandPosition(c, c, i), sums[i]);
    }
    return ACL_SUCCESS;
}

aclnnStatus aclnnMatmulGetWorkspaceSize(const aclTensor *self, const aclTensor *mat2, aclTensor *out,
                                        int8_t cubeMathType, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    ENTER();
    (void)cubeMathType;
    REQUIRE(workspaceSize != NULL && executor != NULL, ACLNN_ERR_PARAM_NULLPTR);
    aclnnStatus status;
    const aclTensor *tensors[] = {self, mat2, out};
    aclOpExecutor *made = phaseBegin(tensors, 3, &status);
    REQUIRE(made != NULL, status);
    REQUIRE(self->rank == 2 && mat2->rank == 2 && out->rank == 2, phaseRefuse(made));
    REQUIRE(self->dims[1] == mat2->dims[0] && self->dims[0] == out->dims[0] && mat2->dims[1] == out->dims[1],
            phaseRefuse(made));
    made->plan.compute = compute;
    made->plan.need = workspaceFor((uint64_t)operandCount(out) * sizeof(float));
    ANSWER(phaseEnd(made, workspaceSize, executor));
}

aclnnStatus aclnnMatmul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    ENTER();
    ANSWER(_Z19CommonOpExecutorRunPvmP13aclOpExecutorS_(workspace, workspaceSize, executor, stream));
}
