/* aclnnGaussianBlur of one channel of floats: rows first, into the workspace, then columns. The border repeats itself. */
#include <math.h>

#include "../entry.h"
#include "phase.h"

enum { BORDER_REPLICATE = 1, MOST_TAPS = 31 };

static void taps(int count, double sigma, double *weights)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double away = i - count / 2;
        weights[i] = exp(-away * away / (2 * sigma * sigma));
        sum += weights[i];
    }
    for (int i = 0; i < count; i++) {
        weights[i] /= sum;
    }
}

static int64_t inside(int64_t at, int64_t size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static aclError compute(const struct plan *plan)
{
    const struct aclTensor *from = &plan->operands[0], *to = &plan->operands[1];
    struct view in = operandView(from), out = operandView(to);
    float *middle = deviceWindow(plan->workspace, plan->need);
    if (in.bytes == NULL || out.bytes == NULL || middle == NULL) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    int64_t height = from->dims[0], width = from->dims[1];
    int across = (int)plan->numbers[0], down = (int)plan->numbers[1];
    double weights[MOST_TAPS];
    taps(across, plan->numbers[2], weights);
    for (int64_t i = 0; i < height * width; i++) {
        double sum = 0;
        for (int tap = 0; tap < across; tap++) {
            int64_t x = inside(i % width + tap - across / 2, width);
            sum += weights[tap] * (double)elementGet(&in, operandPosition(from, from, i / width * width + x));
        }
        middle[i] = (float)sum;
    }
    taps(down, plan->numbers[3], weights);
    for (int64_t i = 0; i < height * width; i++) {
        double sum = 0;
        for (int tap = 0; tap < down; tap++) {
            sum += weights[tap] * middle[inside(i / width + tap - down / 2, height) * width + i % width];
        }
        elementPut(&out, operandPosition(to, to, i), sum);
    }
    return ACL_SUCCESS;
}

static bool isOdd(int64_t taps)
{
    return taps > 0 && taps <= MOST_TAPS && taps % 2 == 1;
}

aclnnStatus aclnnGaussianBlurGetWorkspaceSize(const aclTensor *src, const aclIntArray *ksize, double sigmaX,
                                              double sigmaY, int64_t borderType, const aclTensor *dst,
                                              uint64_t *workspaceSize, aclOpExecutor **executor)
{
    ENTER();
    REQUIRE(ksize != NULL && workspaceSize != NULL && executor != NULL, ACLNN_ERR_PARAM_NULLPTR);
    aclnnStatus status;
    const aclTensor *tensors[] = {src, dst};
    aclOpExecutor *made = phaseBegin(tensors, 2, &status);
    REQUIRE(made != NULL, status);
    REQUIRE(operandSameShape(src, dst) && src->rank == 2 && src->type == ACL_FLOAT && dst->type == ACL_FLOAT,
            phaseRefuse(made));
    REQUIRE(ksize->count == 2 && isOdd(ksize->values[0]) && isOdd(ksize->values[1]), phaseRefuse(made));
    REQUIRE(sigmaX > 0 && sigmaY > 0 && borderType == BORDER_REPLICATE, phaseRefuse(made));
    made->plan->compute = compute;
    made->plan->numbers[0] = (double)ksize->values[0];
    made->plan->numbers[1] = (double)ksize->values[1];
    made->plan->need = workspaceFor((uint64_t)operandCount(src) * sizeof(float));
    ANSWER(phaseEnd(made, workspaceSize, executor));
}

/* The sigmas are phase two's: a caller whose arguments were shifted on their way gets another picture. */
aclnnStatus aclnnGaussianBlur(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclTensor *src,
                              const aclIntArray *ksize, double sigmaX, double sigmaY, int64_t borderType,
                              aclTensor *dst, const aclrtStream stream)
{
    ENTER();
    REQUIRE(executor != NULL && src != NULL && ksize != NULL && dst != NULL, ACLNN_ERR_PARAM_NULLPTR);
    REQUIRE(aclsimIsObject(src) && aclsimIsObject(ksize) && aclsimIsObject(dst), ACLNN_ERR_PARAM_INVALID);
    REQUIRE(borderType == BORDER_REPLICATE, ACLNN_ERR_PARAM_INVALID);
    REQUIRE(aclsimHold(executor), ACLNN_ERR_PARAM_INVALID);
    executor->plan->numbers[2] = sigmaX;
    executor->plan->numbers[3] = sigmaY;
    aclsimLetGo();
    ANSWER(_Z19CommonOpExecutorRunPvmP13aclOpExecutorS_(workspace, workspaceSize, executor, stream));
}
