/* aclnnAdd, aclnnMul, aclnnCast, and the in-place operators. */
#include "../entry.h"
#include "phase.h"

enum { LEFT, RIGHT, OUT };

static aclError combine(const struct plan *plan, bool is_product)
{
    const struct aclTensor *whole = &plan->operands[OUT];
    if (operandCount(whole) == 0) {
        return ACL_SUCCESS;
    }
    struct view left = operandView(&plan->operands[LEFT]), right = operandView(&plan->operands[RIGHT]);
    struct view out = operandView(whole);
    if (left.bytes == NULL || right.bytes == NULL || out.bytes == NULL) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    for (int64_t i = 0; i < operandCount(whole); i++) {
        long double one = elementGet(&left, operandPosition(&plan->operands[LEFT], whole, i));
        long double other = elementGet(&right, operandPosition(&plan->operands[RIGHT], whole, i));
        long double result = is_product ? one * other : one + plan->numbers[0] * other;
        elementPut(&out, operandPosition(whole, whole, i), result);
    }
    return ACL_SUCCESS;
}

static aclError add(const struct plan *plan)
{
    return combine(plan, false);
}

static aclError mul(const struct plan *plan)
{
    return combine(plan, true);
}

static aclError cast(const struct plan *plan)
{
    const struct aclTensor *from = &plan->operands[0], *to = &plan->operands[1];
    if (operandCount(to) == 0) {
        return ACL_SUCCESS;
    }
    struct view in = operandView(from), out = operandView(to);
    if (in.bytes == NULL || out.bytes == NULL) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    for (int64_t i = 0; i < operandCount(to); i++) {
        elementPut(&out, operandPosition(to, to, i), elementGet(&in, operandPosition(from, to, i)));
    }
    return ACL_SUCCESS;
}

static aclnnStatus two(aclError (*compute)(const struct plan *), double scale, const aclTensor *left,
                       const aclTensor *right, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    aclnnStatus status = ACLNN_ERR_PARAM_NULLPTR;
    const aclTensor *tensors[] = {left, right, out};
    if (workspaceSize == NULL || executor == NULL) {
        return status;
    }
    aclOpExecutor *made = phaseBegin(tensors, 3, &status);
    if (made == NULL) {
        return status;
    }
    if (!operandSpreads(left, out) || !operandSpreads(right, out)) {
        return phaseRefuse(made);
    }
    made->plan.compute = compute;
    made->plan.numbers[0] = scale;
    /* Operands that are not dense are made so first, one after the other. */
    for (int i = LEFT; i <= RIGHT; i++) {
        if (!operandIsDense(tensors[i])) {
            made->plan.need += workspaceFor((uint64_t)operandCount(tensors[i]) * elementBytes(tensors[i]->type));
        }
    }
    return phaseEnd(made, workspaceSize, executor);
}

static double numberOf(const aclScalar *scalar)
{
    const struct view view = {.type = scalar->type, .bytes = (unsigned char *)scalar->bytes};
    return (double)elementGet(&view, 0);
}

aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
                                     aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    ENTER();
    REQUIRE(alpha != NULL, ACLNN_ERR_PARAM_NULLPTR);
    ANSWER(two(add, numberOf(alpha), self, other, out, workspaceSize, executor));
}

aclnnStatus aclnnInplaceAddGetWorkspaceSize(const aclTensor *selfRef, const aclTensor *other, const aclScalar *alpha,
                                            uint64_t *workspaceSize, aclOpExecutor **executor)
{
    ENTER();
    REQUIRE(alpha != NULL, ACLNN_ERR_PARAM_NULLPTR);
    ANSWER(two(add, numberOf(alpha), selfRef, other, selfRef, workspaceSize, executor));
}

aclnnStatus aclnnMulGetWorkspaceSize(const aclTensor *self, const aclTensor *other, aclTensor *out,
                                     uint64_t *workspaceSize, aclOpExecutor **executor)
{
    ENTER();
    ANSWER(two(mul, 1, self, other, out, workspaceSize, executor));
}

aclnnStatus aclnnInplaceMulGetWorkspaceSize(aclTensor *selfRef, const aclTensor *other, uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    ENTER();
    ANSWER(two(mul, 1, selfRef, other, selfRef, workspaceSize, executor));
}

aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor *self, const aclDataType dtype, aclTensor *out,
                                      uint64_t *workspaceSize, aclOpExecutor **executor)
{
    ENTER();
    REQUIRE(workspaceSize != NULL && executor != NULL, ACLNN_ERR_PARAM_NULLPTR);
    aclnnStatus status;
    const aclTensor *tensors[] = {self, out};
    aclOpExecutor *made = phaseBegin(tensors, 2, &status);
    REQUIRE(made != NULL, status);
    REQUIRE(operandSameShape(self, out) && out->type == dtype, phaseRefuse(made));
    made->plan.compute = cast;
    ANSWER(phaseEnd(made, workspaceSize, executor));
}

#define PHASE_TWO(name) \
    aclnnStatus name(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream) \
    { \
        ENTER(); \
        ANSWER(_Z19CommonOpExecutorRunPvmP13aclOpExecutorS_(workspace, workspaceSize, executor, stream)); \
    }

PHASE_TWO(aclnnAdd)
PHASE_TWO(aclnnInplaceAdd)
PHASE_TWO(aclnnMul)
PHASE_TWO(aclnnInplaceMul)
PHASE_TWO(aclnnCast)
