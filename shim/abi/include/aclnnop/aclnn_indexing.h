/* Operators that take indices: rows of a table, classes, places, blocks of a cache, groups. Each has two phases, as all
 * operators of libopapi.so. */
#ifndef ACLSAN_ACLNN_INDEXING_H
#define ACLSAN_ACLNN_INDEXING_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACLSAN_OPERATOR(name, ...) \
    aclnnStatus aclnn##name##GetWorkspaceSize(__VA_ARGS__, uint64_t *workspaceSize, aclOpExecutor **executor); \
    aclnnStatus aclnn##name(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)

ACLSAN_OPERATOR(Embedding, const aclTensor *weight, const aclTensor *indices, const aclTensor *out);
ACLSAN_OPERATOR(EmbeddingBag, const aclTensor *weight, const aclTensor *indices, const aclTensor *offsets,
                bool scaleGradByFreq, int64_t mode, bool sparse, const aclTensor *perSampleWeights,
                bool includeLastOffset, int64_t paddingIdx, aclTensor *output, aclTensor *offset2bag,
                aclTensor *bagSize, aclTensor *maxIndices);
ACLSAN_OPERATOR(EmbeddingDenseBackward, const aclTensor *grad, const aclTensor *indices, uint64_t numWeights,
                uint64_t paddingIdx, bool scaleGradByFreq, const aclTensor *out);
ACLSAN_OPERATOR(EmbeddingRenorm, aclTensor *selfRef, const aclTensor *indices, double maxNorm, double normType);
ACLSAN_OPERATOR(Gather, const aclTensor *self, const int64_t dim, const aclTensor *index, aclTensor *out);
ACLSAN_OPERATOR(Scatter, const aclTensor *self, int64_t dim, const aclTensor *index, const aclTensor *src,
                int64_t reduce, aclTensor *out);
ACLSAN_OPERATOR(InplaceScatter, aclTensor *selfRef, int64_t dim, const aclTensor *index, const aclTensor *src,
                int64_t reduce);
ACLSAN_OPERATOR(ScatterValue, const aclTensor *self, int64_t dim, const aclTensor *index, const aclScalar *value,
                int64_t reduce, aclTensor *out);
ACLSAN_OPERATOR(InplaceScatterValue, aclTensor *selfRef, int64_t dim, const aclTensor *index, const aclScalar *value,
                int64_t reduce);
ACLSAN_OPERATOR(ScatterAdd, const aclTensor *self, int64_t dim, const aclTensor *index, const aclTensor *src,
                aclTensor *out);
ACLSAN_OPERATOR(ScatterReduce, const aclTensor *self, int64_t dim, const aclTensor *index, const aclTensor *src,
                int64_t reduction, bool includeSelf, aclTensor *out);
ACLSAN_OPERATOR(InplaceScatterReduce, aclTensor *selfRef, int64_t dim, const aclTensor *index, const aclTensor *src,
                int64_t reduction, bool includeSelf);
ACLSAN_OPERATOR(IndexSelect, const aclTensor *self, int64_t dim, const aclTensor *index, aclTensor *out);
ACLSAN_OPERATOR(IndexAdd, const aclTensor *self, const int64_t dim, const aclTensor *index, const aclTensor *source,
                const aclScalar *alpha, aclTensor *out);
ACLSAN_OPERATOR(IndexCopy, const aclTensor *self, int64_t dim, const aclTensor *index, const aclTensor *source,
                aclTensor *out);
ACLSAN_OPERATOR(InplaceIndexCopy, aclTensor *selfRef, int64_t dim, const aclTensor *index, const aclTensor *source);
ACLSAN_OPERATOR(IndexFill, const aclTensor *self, int64_t dim, const aclTensor *index, const aclScalar *value,
                aclTensor *out);
ACLSAN_OPERATOR(InplaceIndexFill, aclTensor *selfRef, int64_t dim, const aclTensor *index, const aclScalar *value);
ACLSAN_OPERATOR(Take, const aclTensor *self, const aclTensor *index, aclTensor *out);
ACLSAN_OPERATOR(InplacePut, aclTensor *selfRef, const aclTensor *index, const aclTensor *source, bool accumulate);
ACLSAN_OPERATOR(Index, const aclTensor *self, const aclTensorList *indices, aclTensor *out);
ACLSAN_OPERATOR(IndexPutImpl, aclTensor *selfRef, const aclTensorList *indices, const aclTensor *values,
                const bool accumulate, const bool unsafe);
/* Writes keys and values of tokens into the slots of a paged cache. */
ACLSAN_OPERATOR(ScatterPaKvCache, const aclTensor *key, aclTensor *keyCacheRef, const aclTensor *slotMapping,
                const aclTensor *value, aclTensor *valueCacheRef, const aclTensor *compressLensOptional,
                const aclTensor *compressSeqOffsetOptional, const aclTensor *seqLensOptional, char *cacheModeOptional,
                char *scatterModeOptional, const aclIntArray *stridesOptional, const aclIntArray *offsetsOptional);
ACLSAN_OPERATOR(NLLLoss, const aclTensor *self, const aclTensor *target, const aclTensor *weight, int64_t reduction,
                int64_t ignoreIndex, aclTensor *out, aclTensor *totalWeightOut);
ACLSAN_OPERATOR(NLLLoss2d, const aclTensor *self, const aclTensor *target, const aclTensor *weight, int64_t reduction,
                int64_t ignoreIndex, aclTensor *out, aclTensor *totalWeightOut);
ACLSAN_OPERATOR(NLLLossBackward, const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target,
                const aclTensor *weight, int64_t reduction, int64_t ignoreIndex, const aclTensor *totalWeight,
                aclTensor *out);
ACLSAN_OPERATOR(NLLLoss2dBackward, const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target,
                const aclTensor *weight, int64_t reduction, int64_t ignoreIndex, const aclTensor *totalWeight,
                aclTensor *out);
ACLSAN_OPERATOR(CrossEntropyLoss, const aclTensor *input, const aclTensor *target, const aclTensor *weightOptional,
                char *reductionOptional, int64_t ignoreIndex, double labelSmoothing, double lseSquareScaleForZloss,
                bool returnZloss, const aclTensor *lossOut, const aclTensor *logProbOut, const aclTensor *zlossOut,
                const aclTensor *lseForZlossOut);
ACLSAN_OPERATOR(MultilabelMarginLoss, const aclTensor *self, const aclTensor *target, int64_t reduction,
                aclTensor *out, aclTensor *isTarget);
ACLSAN_OPERATOR(OneHot, const aclTensor *self, int numClasses, const aclTensor *onValue, const aclTensor *offValue,
                int64_t axis, aclTensor *out);
ACLSAN_OPERATOR(Bincount, const aclTensor *self, const aclTensor *weights, int64_t minlength, aclTensor *out);
ACLSAN_OPERATOR(RepeatInterleave, const aclTensor *self, const aclTensor *repeats, int64_t outputSize,
                aclTensor *out);
ACLSAN_OPERATOR(RepeatInterleaveWithDim, const aclTensor *self, const aclTensor *repeats, int64_t dim,
                int64_t outputSize, aclTensor *out);
ACLSAN_OPERATOR(IncreFlashAttentionV4, const aclTensor *query, const aclTensorList *key, const aclTensorList *value,
                const aclTensor *pseShift, const aclTensor *attenMask, const aclIntArray *seqLengths,
                const aclTensor *dequantScale1, const aclTensor *quantScale1, const aclTensor *dequantScale2,
                const aclTensor *quantScale2, const aclTensor *quantOffset2, const aclTensor *antiquantScale,
                const aclTensor *antiquantOffset, const aclTensor *blockTable, const aclTensor *kvPaddingSize,
                int64_t numHeads, double scaleValue, char *inputLayout, int64_t numKeyValueHeads, int64_t blockSize,
                int64_t innerPrecise, const aclTensor *attentionOut);
ACLSAN_OPERATOR(FusedInferAttentionScoreV2, const aclTensor *query, const aclTensorList *key,
                const aclTensorList *value, const aclTensor *pseShift, const aclTensor *attenMask,
                const aclIntArray *seqLengths, const aclIntArray *kvSeqLengths, const aclTensor *deqScale1,
                const aclTensor *quantScale1, const aclTensor *deqScale2, const aclTensor *quantScale2,
                const aclTensor *quantOffset2, const aclTensor *antiquantScale, const aclTensor *antiquantOffset,
                const aclTensor *blockTable, const aclTensor *queryPaddingSize, const aclTensor *kvPaddingSize,
                const aclTensor *keyAntiquantScale, const aclTensor *keyAntiquantOffset,
                const aclTensor *valueAntiquantScale, const aclTensor *valueAntiquantOffset,
                const aclTensor *keySharedPrefix, const aclTensor *valueSharedPrefix,
                const aclIntArray *sharedPrefixLengths, int64_t numHeads, double scaleValue, int64_t preTokens,
                int64_t nextTokens, char *inputLayout, int64_t numKeyValueHeads, int64_t sparseMode,
                int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode, bool softmaxLseFlag,
                int64_t keyAntiquantMode, int64_t valueAntiquantMode, const aclTensor *attentionOut,
                const aclTensor *softmaxLse);
ACLSAN_OPERATOR(FusedInferAttentionScoreV3, const aclTensor *query, const aclTensorList *key,
                const aclTensorList *value, const aclTensor *pseShift, const aclTensor *attenMask,
                const aclIntArray *seqLengths, const aclIntArray *kvSeqLengths, const aclTensor *deqScale1,
                const aclTensor *quantScale1, const aclTensor *deqScale2, const aclTensor *quantScale2,
                const aclTensor *quantOffset2, const aclTensor *antiquantScale, const aclTensor *antiquantOffset,
                const aclTensor *blockTable, const aclTensor *queryPaddingSize, const aclTensor *kvPaddingSize,
                const aclTensor *keyAntiquantScale, const aclTensor *keyAntiquantOffset,
                const aclTensor *valueAntiquantScale, const aclTensor *valueAntiquantOffset,
                const aclTensor *keySharedPrefix, const aclTensor *valueSharedPrefix,
                const aclIntArray *sharedPrefixLengths, const aclTensor *queryRope, const aclTensor *keyRope,
                const aclTensor *keyRopeAntiquantScale, int64_t numHeads, double scaleValue, int64_t preTokens,
                int64_t nextTokens, char *inputLayout, int64_t numKeyValueHeads, int64_t sparseMode,
                int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode, bool softmaxLseFlag,
                int64_t keyAntiquantMode, int64_t valueAntiquantMode, const aclTensor *attentionOut,
                const aclTensor *softmaxLse);
ACLSAN_OPERATOR(FusedInferAttentionScoreV4, const aclTensor *query, const aclTensorList *key,
                const aclTensorList *value, const aclTensor *pseShift, const aclTensor *attenMask,
                const aclIntArray *seqLengths, const aclIntArray *kvSeqLengths, const aclTensor *deqScale1,
                const aclTensor *quantScale1, const aclTensor *deqScale2, const aclTensor *quantScale2,
                const aclTensor *quantOffset2, const aclTensor *antiquantScale, const aclTensor *antiquantOffset,
                const aclTensor *blockTable, const aclTensor *queryPaddingSize, const aclTensor *kvPaddingSize,
                const aclTensor *keyAntiquantScale, const aclTensor *keyAntiquantOffset,
                const aclTensor *valueAntiquantScale, const aclTensor *valueAntiquantOffset,
                const aclTensor *keySharedPrefix, const aclTensor *valueSharedPrefix,
                const aclIntArray *sharedPrefixLengths, const aclTensor *queryRope, const aclTensor *keyRope,
                const aclTensor *keyRopeAntiquantScale, const aclTensor *dequantScaleQuery,
                const aclTensor *learnableSink, int64_t numHeads, double scaleValue, int64_t preTokens,
                int64_t nextTokens, char *inputLayout, int64_t numKeyValueHeads, int64_t sparseMode,
                int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode, bool softmaxLseFlag,
                int64_t keyAntiquantMode, int64_t valueAntiquantMode, int64_t queryQuantMode,
                const aclTensor *attentionOut, const aclTensor *softmaxLse);
ACLSAN_OPERATOR(MoeInitRoutingV2, const aclTensor *x, const aclTensor *expertIdx, int64_t activeNum,
                int64_t expertCapacity, int64_t expertNum, int64_t dropPadMode,
                int64_t expertTokensCountOrCumsumFlag, bool expertTokensBeforeCapacityFlag,
                const aclTensor *expandedXOut, const aclTensor *expandedRowIdxOut,
                const aclTensor *expertTokensCountOrCumsumOut, const aclTensor *expertTokensBeforeCapacityOut);
ACLSAN_OPERATOR(MoeInitRoutingV3, const aclTensor *x, const aclTensor *expertIdx, const aclTensor *scale,
                const aclTensor *offset, int64_t activeNum, int64_t expertCapacity, int64_t expertNum,
                int64_t dropPadMode, int64_t expertTokensNumType, bool expertTokensNumFlag, int64_t quantMode,
                const aclIntArray *activeExpertRange, int64_t rowIdxType, const aclTensor *expandedXOut,
                const aclTensor *expandedRowIdxOut, const aclTensor *expertTokensCountOrCumsumOut,
                const aclTensor *expandedScaleOut);
ACLSAN_OPERATOR(MoeComputeExpertTokens, const aclTensor *sortedExperts, int64_t numExperts, const aclTensor *out);
ACLSAN_OPERATOR(MoeTokenPermute, const aclTensor *tokens, const aclTensor *indices, int64_t numOutTokens,
                bool paddedMode, const aclTensor *permuteTokensOut, const aclTensor *sortedIndicesOut);
ACLSAN_OPERATOR(MoeTokenUnpermute, const aclTensor *permutedTokens, const aclTensor *sortedIndices,
                const aclTensor *probs, bool paddedMode, const aclIntArray *restoreShape, aclTensor *out);
ACLSAN_OPERATOR(MoeFinalizeRoutingV2, const aclTensor *expandedX, const aclTensor *expandedRowIdx,
                const aclTensor *x1, const aclTensor *x2, const aclTensor *bias, const aclTensor *scales,
                const aclTensor *expertIdx, int64_t dropPadMode, const aclTensor *out);
ACLSAN_OPERATOR(GroupedMatmulV4, const aclTensorList *x, const aclTensorList *weight, const aclTensorList *bias,
                const aclTensorList *scale, const aclTensorList *offset, const aclTensorList *antiquantScale,
                const aclTensorList *antiquantOffset, const aclTensorList *perTokenScale,
                const aclTensor *groupList, const aclTensorList *activationInput,
                const aclTensorList *activationQuantScale, const aclTensorList *activationQuantOffset,
                int64_t splitItem, int64_t groupType, int64_t groupListType, int64_t actType, aclTensorList *out,
                aclTensorList *activationFeatureOut, aclTensorList *dynQuantScaleOut);
ACLSAN_OPERATOR(GroupedMatmulV5, const aclTensorList *x, const aclTensorList *weight, const aclTensorList *bias,
                const aclTensorList *scale, const aclTensorList *offset, const aclTensorList *antiquantScale,
                const aclTensorList *antiquantOffset, const aclTensorList *perTokenScale,
                const aclTensor *groupList, const aclTensorList *activationInput,
                const aclTensorList *activationQuantScale, const aclTensorList *activationQuantOffset,
                int64_t splitItem, int64_t groupType, int64_t groupListType, int64_t actType,
                const aclIntArray *tuningConfig, aclTensorList *out, aclTensorList *activationFeatureOut,
                aclTensorList *dynQuantScaleOut);

#undef ACLSAN_OPERATOR

#ifdef __cplusplus
}
#endif

#endif
