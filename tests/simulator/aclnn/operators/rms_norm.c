/* aclnnRmsNorm, through the path of generated operators. */
#include <math.h>

#include "../entry.h"
#include "phase.h"

enum { X, GAMMA, Y, RSTD };

static aclError compute(const struct plan *plan)
{
    const struct aclTensor *x = &plan->operands[X], *y = &plan->operands[Y], *rstd = &plan->operands[RSTD];
    struct view in = operandView(x), scale = operandView(&plan->operands[GAMMA]), out = operandView(y);
    struct view roots = operandView(rstd);
    float *sums = deviceWindow(plan->workspace, plan->need);
    if (in.bytes == NULL || scale.bytes == NULL || out.bytes == NULL || roots.bytes == NULL || sums == NULL) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    int64_t length = operandCount(&plan->operands[GAMMA]);
    for (int64_t row = 0; row < operandCount(rstd); row++) {
        sums[row] = 0;
        for (int64_t i = 0; i < length; i++) {
            double value = (double)elementGet(&in, operandPosition(x, x, row * length + i));
            sums[row] += (float)(value * value);
        }
        double root = 1 / sqrt(sums[row] / (double)length + plan->numbers[0]);
        elementPut(&roots, operandPosition(rstd, rstd, row), root);
        for (int64_t i = 0; i < length; i++) {
            long double value = elementGet(&in, operandPosition(x, x, row * length + i));
            elementPut(&out, operandPosition(y, y, row * length + i), value * root * elementGet(&scale, i));
        }
    }
    return ACL_SUCCESS;
}

aclnnStatus aclnnRmsNormGetWorkspaceSize(const aclTensor *x, const aclTensor *gamma, double epsilon,
                                         const aclTensor *yOut, const aclTensor *rstdOut, uint64_t *workspaceSize,
                                         aclOpExecutor **executor)
{
    ENTER();
    REQUIRE(workspaceSize != NULL && executor != NULL, ACLNN_ERR_PARAM_NULLPTR);
    aclnnStatus status;
    const aclTensor *tensors[] = {x, gamma, yOut, rstdOut};
    aclOpExecutor *made = phaseBegin(tensors, 4, &status);
    REQUIRE(made != NULL, status);
    REQUIRE(operandSameShape(x, yOut) && operandIsDense(gamma) && operandCount(gamma) > 0, phaseRefuse(made));
    REQUIRE(operandCount(x) == operandCount(gamma) * operandCount(rstdOut), phaseRefuse(made));
    made->plan->compute = compute;
    made->plan->numbers[0] = epsilon;
    made->plan->need = workspaceFor((uint64_t)operandCount(rstdOut) * sizeof(float));
    ANSWER(phaseEndGenerated(made, workspaceSize, executor));
}

aclnnStatus aclnnRmsNorm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    ENTER();
    ANSWER(NnopbaseRunWithWorkspace(executor, stream, workspace, workspaceSize));
}
