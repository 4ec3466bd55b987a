/* Operators that torch_npu does not look up, for programs that call them by their headers: ggml, InfiniCore, DIOPI. */
#ifndef SIMULATOR_ACLNN_MORE_NAMES_H
#define SIMULATOR_ACLNN_MORE_NAMES_H

#include "names.h"

#define MORE_OPERATORS(X) \
    X(Argsort) X(Bernoulli) X(BernoulliTensor) X(CumsumV2) X(FusedInferAttentionScore) X(GatherV2) X(Gemm) X(Ger) X(GroupedMatmulV2) X(GroupedMatmulV3) \
    X(InplaceAddbmm) X(InplaceBaddbmm) X(InplaceClampMin) X(InplaceSelu) X(IsInf) X(Lgamma) X(MaxPool) X(MeanV2) X(Permute) X(Selu) \
    X(Slice) X(SoftmaxCrossEntropyWithLogits) X(SplitTensor) X(Sum) X(TransMatmulWeight) X(Var)

#define EVERY_OPERATOR(X) OPERATORS(X) MORE_OPERATORS(X)

#endif
