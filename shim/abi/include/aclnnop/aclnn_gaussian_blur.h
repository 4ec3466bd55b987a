/* The operator whose phase two takes arguments of its own before the stream. */
#ifndef ACLSAN_ACLNN_GAUSSIAN_BLUR_H
#define ACLSAN_ACLNN_GAUSSIAN_BLUR_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnGaussianBlurGetWorkspaceSize(const aclTensor *src, const aclIntArray *ksize, double sigmaX, double sigmaY,
                                              int64_t borderType, const aclTensor *dst, uint64_t *workspaceSize,
                                              aclOpExecutor **executor);
aclnnStatus aclnnGaussianBlur(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclTensor *src,
                              const aclIntArray *ksize, double sigmaX, double sigmaY, int64_t borderType,
                              aclTensor *dst, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
