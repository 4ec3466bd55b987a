/* Phase one of every operator: makes a plan from tensors and returns it to the caller. */
#ifndef SIMULATOR_ACLNN_PHASE_H
#define SIMULATOR_ACLNN_PHASE_H

#include "operand.h"

/* A plan's bytes of workspace come in whole blocks of the cores. */
static inline uint64_t workspaceFor(uint64_t bytes)
{
    return (bytes + 511) / 512 * 512;
}

/* An executor for these operands, or NULL with the code in `status`: one that is missing, or none that the cores take. */
aclOpExecutor *phaseBegin(const aclTensor *const tensors[], int count, aclnnStatus *status);
/* Drops an executor that is not handed out. */
aclnnStatus phaseRefuse(aclOpExecutor *executor);
/* Hands it out, by the way of written operators, or by that of generated ones. */
aclnnStatus phaseEnd(aclOpExecutor *made, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus phaseEndGenerated(aclOpExecutor *made, uint64_t *workspaceSize, aclOpExecutor **executor);

#endif
