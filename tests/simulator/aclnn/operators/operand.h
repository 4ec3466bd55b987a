/* An operand's elements, wherever its strides put them. */
#ifndef SIMULATOR_ACLNN_OPERAND_H
#define SIMULATOR_ACLNN_OPERAND_H

#include "../../compute/device_window.h"
#include "../../compute/tensor.h"
#include "../objects.h"

bool typeIsComplex(aclDataType type);
/* Fits the simulator's cores: an element type that they compute with, strides that do not run backwards, a reach that memory could have. */
bool operandFits(const struct aclTensor *operand);
bool operandIsDense(const struct aclTensor *operand);
int64_t operandCount(const struct aclTensor *operand);
bool operandSameShape(const struct aclTensor *one, const struct aclTensor *other);
/* Whether `operand` can be stretched over `whole`, along its dimensions of size 1. */
bool operandSpreads(const struct aclTensor *operand, const struct aclTensor *whole);

/* Looked up when the task runs; bytes is NULL if the address is unmapped. */
struct view operandView(const struct aclTensor *operand);
/* The position of element `index` of `whole` in an operand that is broadcast to it. */
int64_t operandPosition(const struct aclTensor *operand, const struct aclTensor *whole, int64_t index);

#endif
