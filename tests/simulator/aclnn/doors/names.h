/* Operators that wheels of torch_npu from 2.1 to 2.13 look up by name. `.ci/torch_npu names` writes this list from their wheels. */
#ifndef SIMULATOR_ACLNN_NAMES_H
#define SIMULATOR_ACLNN_NAMES_H

#define OPERATORS(X) \
    X(Abs) X(Acos) X(Acosh) X(AdaptiveAvgPool2d) X(AdaptiveAvgPool2dBackward) X(AdaptiveAvgPool3d) X(AdaptiveAvgPool3dBackward) \
    X(AdaptiveMaxPool2d) X(AdaptiveMaxPool2dBackward) X(AdaptiveMaxPool3d) X(AdaptiveMaxPool3dBackward) X(Add) X(AddLayerNorm) \
    X(AddLayerNormGrad) X(AddLora) X(AddRelu) X(AddRmsNorm) X(AddRmsNormCast) X(AddRmsNormDynamicMxQuant) X(AddRmsNormDynamicQuantV2) \
    X(AddRmsNormQuant) X(AddRmsNormQuantV2) X(AddV3) X(Addbmm) X(Addcdiv) X(Addcmul) X(Addmm) X(AddmmWeightNz) X(Addmv) X(Addr) X(Adds) \
    X(AdvanceStep) X(AdvanceStepV2) X(AffineGrid) X(All) X(AllGatherMatmul) X(AllGatherMatmulV2) X(AlltoAllMatmul) X(AlltoAllMatmulV2) \
    X(AlltoAllQuantMatmul) X(AlltoAllQuantMatmulV2) X(AlltoAllvGroupedMatMul) X(AlltoAllvGroupedMatMulV2) X(AlltoAllvQuantGroupedMatMul) \
    X(AlltoAllvQuantGroupedMatMulV2) X(Amax) X(Amin) X(Aminmax) X(AminmaxAll) X(AminmaxDim) X(AmpUpdateScale) X(AngleV2) X(AntiMxQuant) \
    X(Any) X(ApplyAdam) X(ApplyAdamW) X(ApplyAdamWV2) X(ApplyRotaryPosEmb) X(ApplyRotaryPosEmbV2) X(ApplyTopKTopP) X(Arange) X(ArgMax) \
    X(ArgMin) X(AscendAntiQuant) X(AscendFlashAttention) X(AscendFlashAttentionGrad) X(AscendQuant) X(AscendQuantV3) X(Asin) X(Asinh) \
    X(Atan) X(Atan2) X(Atanh) X(AttentionPioneer) X(AttentionToFFN) X(AttentionUpdate) X(AttentionWorkerCombine) X(AvgPool2d) \
    X(AvgPool2dBackward) X(AvgPool3d) X(AvgPool3dBackward) X(Baddbmm) X(BatchMatMul) X(BatchMatMulWeightNz) X(BatchNorm) \
    X(BatchNormBackward) X(BatchNormElemt) X(BatchNormElemtBackward) X(BatchNormGatherStatsWithCounts) X(BatchNormReduce) \
    X(BatchNormReduceBackward) X(BatchNormStats) X(BinaryCrossEntropy) X(BinaryCrossEntropyBackward) X(BinaryCrossEntropyWithLogits) \
    X(BinaryCrossEntropyWithLogitsBackward) X(Bincount) X(BitwiseAndScalar) X(BitwiseAndTensor) X(BitwiseNot) X(BitwiseOrScalar) \
    X(BitwiseOrTensor) X(BitwiseXorScalar) X(BitwiseXorTensor) X(BlockSparseAttention) X(BlockSparseAttentionGrad) X(Bucketize) X(CIoU) \
    X(Cast) X(Cat) X(Cdist) X(CdistBackward) X(Ceil) X(Celu) X(ChannelShuffle) X(ChunkCat) X(ChunkGatedDeltaRule) X(Clamp) X(ClampMax) \
    X(ClampMaxTensor) X(ClampMin) X(ClampMinTensor) X(ClampTensor) X(ClippedSwiglu) X(CoalesceSparse) X(Complex) X(ConfusionTranspose) \
    X(ConstantPadNd) X(ConvDepthwise2d) X(ConvTbc) X(ConvTbcBackward) X(Convolution) X(ConvolutionBackward) X(Cos) X(Cosh) \
    X(CrossEntropyLoss) X(CrossEntropyLossGrad) X(CtcLoss) X(CtcLossBackward) X(Cummax) X(Cummin) X(Cumprod) X(Cumsum) X(DeepNorm) \
    X(DeepNormGrad) X(DeformableConv2d) X(DeformableConv2dBackward) X(DenseLightningIndexerGradKLLoss) X(DenseLightningIndexerSoftmaxLse) \
    X(DequantBias) X(DequantRopeQuantKvcache) X(DequantSwigluQuant) X(DequantSwigluQuantV2) X(DistributeBarrier) X(DistributeBarrierV2) \
    X(Div) X(DivMod) X(DivMods) X(Divs) X(Dot) X(DropoutDoMask) X(DropoutGenMask) X(DropoutGenMaskV2) X(DropoutGenMaskV2Tensor) \
    X(DropoutV3) X(DropoutV3Grad) X(DropoutV3Tensor) X(DualLevelQuantMatmulWeightNz) X(DynamicBlockMxQuant) X(DynamicBlockQuant) \
    X(DynamicBlockQuantV2) X(DynamicDualLevelMxQuant) X(DynamicMxQuant) X(DynamicMxQuantV2) X(DynamicMxQuantV3) \
    X(DynamicMxQuantWithDualAxis) X(DynamicMxQuantWithDualAxisV2) X(DynamicQuant) X(DynamicQuantV2) X(DynamicQuantV3) X(DynamicQuantV4) \
    X(Elu) X(EluBackward) X(Embedding) X(EmbeddingBag) X(EmbeddingDenseBackward) X(EmbeddingRenorm) X(EqScalar) X(EqTensor) X(Equal) \
    X(Erf) X(Erfc) X(Erfinv) X(Exp) X(Exp2) X(Expm1) X(Eye) X(FFNToAttention) X(FFNV2) X(FakeQuantPerChannelAffineCachemask) \
    X(FakeQuantPerTensorAffineCachemask) X(FastGelu) X(FastGeluBackward) X(FastLayerNorm) X(FfnWorkerBatching) X(FlashAttentionScore) \
    X(FlashAttentionScoreGrad) X(FlashAttentionScoreGradV2) X(FlashAttentionScoreGradV3) X(FlashAttentionScoreGradV4) \
    X(FlashAttentionScoreV2) X(FlashAttentionScoreV3) X(FlashAttentionScoreV4) X(FlashAttentionUnpaddingScoreGrad) \
    X(FlashAttentionUnpaddingScoreGradV2) X(FlashAttentionUnpaddingScoreGradV3) X(FlashAttentionUnpaddingScoreGradV4) \
    X(FlashAttentionUnpaddingScoreGradV5) X(FlashAttentionVarLenScore) X(FlashAttentionVarLenScoreV2) X(FlashAttentionVarLenScoreV3) \
    X(FlashAttentionVarLenScoreV4) X(FlashAttentionVarLenScoreV5) X(FlatQuant) X(FlatQuantV2) X(Flip) X(Floor) X(FloorDivide) \
    X(FloorDivides) X(FmodScalar) X(FmodTensor) X(ForeachAbs) X(ForeachAcos) X(ForeachAddList) X(ForeachAddListV2) X(ForeachAddScalar) \
    X(ForeachAddScalarList) X(ForeachAddScalarV2) X(ForeachAddcdivScalar) X(ForeachAddcdivScalarList) X(ForeachAddcdivScalarV2) \
    X(ForeachAddcmulScalar) X(ForeachAddcmulScalarList) X(ForeachAddcmulScalarV2) X(ForeachAsin) X(ForeachAtan) X(ForeachCopy) \
    X(ForeachCos) X(ForeachCosh) X(ForeachDivList) X(ForeachDivScalar) X(ForeachDivScalarList) X(ForeachDivScalarV2) X(ForeachErf) \
    X(ForeachErfc) X(ForeachExp) X(ForeachExpm1) X(ForeachLerpList) X(ForeachLerpScalar) X(ForeachLog) X(ForeachLog10) X(ForeachLog1p) \
    X(ForeachLog2) X(ForeachMaximumList) X(ForeachMaximumScalar) X(ForeachMaximumScalarList) X(ForeachMaximumScalarV2) \
    X(ForeachMinimumList) X(ForeachMinimumScalar) X(ForeachMinimumScalarList) X(ForeachMinimumScalarV2) X(ForeachMulList) \
    X(ForeachMulScalar) X(ForeachMulScalarList) X(ForeachMulScalarV2) X(ForeachNeg) X(ForeachNonFiniteCheckAndUnscale) X(ForeachNorm) \
    X(ForeachPowList) X(ForeachPowScalar) X(ForeachPowScalarAndTensor) X(ForeachPowScalarList) X(ForeachPowScalarV2) X(ForeachReciprocal) \
    X(ForeachRoundOffNumber) X(ForeachRoundOffNumberV2) X(ForeachSigmoid) X(ForeachSign) X(ForeachSin) X(ForeachSinh) X(ForeachSqrt) \
    X(ForeachSubList) X(ForeachSubListV2) X(ForeachSubScalar) X(ForeachSubScalarList) X(ForeachSubScalarV2) X(ForeachTan) X(ForeachTanh) \
    X(ForeachZeroInplace) X(Frac) X(FusedAdam) X(FusedCausalConv1d) X(FusedCrossEntropyLossWithMaxSum) X(FusedFloydAttention) \
    X(FusedFloydAttentionGrad) X(FusedInferAttentionScoreV2) X(FusedInferAttentionScoreV3) X(FusedInferAttentionScoreV4) \
    X(FusedInferAttentionScoreV5) X(FusedLinearCrossEntropyLossGrad) X(FusedLinearOnlineMaxSum) X(FusedMatmul) X(FusedQuantMatmul) \
    X(FusedQuantMatmulWeightNz) X(FusedSgd) X(GRU) X(GRUBackward) X(Gather) X(GatherPaKvCache) X(GatherV3) X(Gcd) X(GeGluV3) \
    X(GeGluV3Backward) X(GeScalar) X(GeTensor) X(Gelu) X(GeluBackward) X(GeluBackwardV2) X(GeluMul) X(GeluQuant) X(GeluV2) X(GemmaRmsNorm) \
    X(Glu) X(GluBackward) X(GridSampler2D) X(GridSampler2DBackward) X(GridSampler3D) X(GridSampler3DBackward) X(GroupNorm) \
    X(GroupNormBackward) X(GroupNormSilu) X(GroupNormSwish) X(GroupNormSwishGrad) X(GroupQuant) X(GroupedDynamicBlockQuant) \
    X(GroupedDynamicBlockQuantV2) X(GroupedDynamicMxQuant) X(GroupedDynamicMxQuantV2) X(GroupedMatMulAlltoAllv) \
    X(GroupedMatMulAlltoAllvV2) X(GroupedMatmul) X(GroupedMatmulAdd) X(GroupedMatmulAddV2) X(GroupedMatmulFinalizeRoutingV2) \
    X(GroupedMatmulFinalizeRoutingV3) X(GroupedMatmulFinalizeRoutingWeightNz) X(GroupedMatmulFinalizeRoutingWeightNzV2) \
    X(GroupedMatmulSwigluQuantV2) X(GroupedMatmulSwigluQuantWeightNZ) X(GroupedMatmulSwigluQuantWeightNzV2) X(GroupedMatmulV4) \
    X(GroupedMatmulV5) X(GroupedMatmulWeightNz) X(GroupedQuantMax) X(GtScalar) X(GtTensor) X(HansDecode) X(HansEncode) X(Hardshrink) \
    X(HardshrinkBackward) X(Hardsigmoid) X(HardsigmoidBackward) X(Hardswish) X(HardswishBackward) X(HardswishBackwardV2) X(Hardtanh) \
    X(HardtanhBackward) X(Histc) X(Im2col) X(Im2colBackward) X(IncreFlashAttentionV4) X(Index) X(IndexAdd) X(IndexAddV2) X(IndexCopy) \
    X(IndexFill) X(IndexFillTensor) X(IndexPutImpl) X(IndexSelect) X(InplaceAcos) X(InplaceAcosh) X(InplaceAdd) X(InplaceAddRelu) \
    X(InplaceAddRmsNorm) X(InplaceAddcdiv) X(InplaceAddcmul) X(InplaceAddmm) X(InplaceAddr) X(InplaceAdds) X(InplaceAsin) X(InplaceAsinh) \
    X(InplaceAtan) X(InplaceAtan2) X(InplaceAtanh) X(InplaceAttentionWorkerScheduler) X(InplaceBernoulli) X(InplaceBernoulliTensor) \
    X(InplaceBitwiseAndScalar) X(InplaceBitwiseAndTensor) X(InplaceBitwiseOrScalar) X(InplaceBitwiseOrTensor) X(InplaceBitwiseXorScalar) \
    X(InplaceBitwiseXorTensor) X(InplaceCeil) X(InplaceCelu) X(InplaceClampMax) X(InplaceClampMaxTensor) X(InplaceClampMinTensor) \
    X(InplaceCopy) X(InplaceCos) X(InplaceCosh) X(InplaceDiv) X(InplaceDivMod) X(InplaceDivMods) X(InplaceDivs) X(InplaceElu) \
    X(InplaceEqScalar) X(InplaceEqTensor) X(InplaceErf) X(InplaceErfc) X(InplaceErfinv) X(InplaceExp) X(InplaceExp2) X(InplaceExpm1) \
    X(InplaceFfnWorkerScheduler) X(InplaceFillDiagonal) X(InplaceFillScalar) X(InplaceFillTensor) X(InplaceFloor) X(InplaceFloorDivide) \
    X(InplaceFloorDivides) X(InplaceFmodScalar) X(InplaceFmodTensor) X(InplaceFrac) X(InplaceFusedCausalConv1d) X(InplaceGeScalar) \
    X(InplaceGeTensor) X(InplaceGtScalar) X(InplaceGtTensor) X(InplaceHardsigmoid) X(InplaceHardswish) X(InplaceHardtanh) \
    X(InplaceIndexCopy) X(InplaceIndexFill) X(InplaceIndexFillTensor) X(InplaceLeScalar) X(InplaceLeTensor) X(InplaceLeakyRelu) \
    X(InplaceLerp) X(InplaceLerps) X(InplaceLog) X(InplaceLog10) X(InplaceLog1p) X(InplaceLog2) X(InplaceLogicalAnd) X(InplaceLogicalNot) \
    X(InplaceLogicalOr) X(InplaceLtScalar) X(InplaceLtTensor) X(InplaceMaskedFillScalar) X(InplaceMaskedFillTensor) \
    X(InplaceMaskedScatter) X(InplaceMish) X(InplaceMul) X(InplaceMuls) X(InplaceNanToNum) X(InplaceNeScalar) X(InplaceNeTensor) \
    X(InplaceNormal) X(InplaceNormalTensor) X(InplaceOne) X(InplacePowTensorScalar) X(InplacePowTensorTensor) X(InplacePut) \
    X(InplaceQuantScatter) X(InplaceQuantScatterV2) X(InplaceRReluWithNoise) X(InplaceRandom) X(InplaceRandomTensor) \
    X(InplaceRandomWithoutFromTo) X(InplaceRandomWithoutFromToTensor) X(InplaceReciprocal) X(InplaceRelu) X(InplaceRemainderTensorScalar) \
    X(InplaceRemainderTensorTensor) X(InplaceRenorm) X(InplaceRound) X(InplaceRoundDecimals) X(InplaceRsqrt) X(InplaceScatter) \
    X(InplaceScatterReduce) X(InplaceScatterUpdate) X(InplaceScatterValue) X(InplaceSigmoid) X(InplaceSin) X(InplaceSinc) X(InplaceSinh) \
    X(InplaceSqrt) X(InplaceSub) X(InplaceSubs) X(InplaceTan) X(InplaceTanh) X(InplaceThreshold) X(InplaceTril) X(InplaceTriu) \
    X(InplaceTrunc) X(InplaceUniform) X(InplaceUniformTensor) X(InplaceXLogYScalarOther) X(InplaceZero) X(InterleaveRope) X(Inverse) \
    X(Iou) X(IsClose) X(IsFinite) X(IsInScalarTensor) X(IsInTensorScalar) X(IsNegInf) X(IsPosInf) X(KlDiv) X(KlDivBackward) \
    X(KlDivTargetBackward) X(Kthvalue) X(KvQuantSparseFlashAttention) X(KvQuantSparseFlashAttentionPioneer) X(KvRmsNormRopeCache) \
    X(KvRmsNormRopeCacheV2) X(L1Loss) X(L1LossBackward) X(LSTM) X(LayerNorm) X(LayerNormBackward) X(LeScalar) X(LeTensor) X(LeakyRelu) \
    X(LeakyReluBackward) X(LeftShift) X(LeftShifts) X(Lerp) X(Lerps) X(LessScalar) X(LightningIndexer) X(LightningIndexerGrad) \
    X(LinalgCholesky) X(LinalgCross) X(LinalgQr) X(LinalgVectorNorm) X(Linspace) X(Log) X(Log10) X(Log1p) X(Log2) X(LogAddExp) \
    X(LogAddExp2) X(LogSigmoid) X(LogSigmoidBackward) X(LogSigmoidForward) X(LogSoftmax) X(LogSoftmaxBackward) X(LogSpace) X(LogSumExp) \
    X(LogicalAnd) X(LogicalNot) X(LogicalOr) X(LogicalXor) X(Logit) X(LogitGrad) X(LstmBackward) X(LtScalar) X(LtTensor) \
    X(MaskedCausalConv1d) X(MaskedCausalConv1dBackward) X(MaskedScale) X(MaskedSelect) X(MaskedSoftmaxWithRelPosBias) X(Matmul) \
    X(MatmulAbftVerify) X(MatmulAllReduce) X(MatmulAllReduceV2) X(MatmulAllReduceV3) X(MatmulAlltoAll) X(MatmulAlltoAllV2) \
    X(MatmulCompressDequant) X(MatmulReduceScatter) X(MatmulReduceScatterV2) X(MatmulWeightNz) X(Max) X(MaxDim) X(MaxPool2dWithIndices) \
    X(MaxPool2dWithIndicesBackward) X(MaxPool2dWithMask) X(MaxPool2dWithMaskBackward) X(MaxPool3dWithArgmax) \
    X(MaxPool3dWithArgmaxBackward) X(MaxUnpool2d) X(MaxUnpool3d) X(Maximum) X(Mean) X(Median) X(MedianDim) X(MhcPost) X(MhcPostBackward) \
    X(MhcPre) X(MhcPreBackward) X(MhcPreBackwardV2) X(MhcPreV2) X(MhcSinkhorn) X(MhcSinkhornBackward) X(Min) X(MinDim) X(Minimum) X(Mish) \
    X(MishBackward) X(MlaPrologV2WeightNz) X(MlaPrologV3WeightNz) X(Mm) X(MoeComputeExpertTokens) X(MoeDistributeCombine) \
    X(MoeDistributeCombineAddRmsNorm) X(MoeDistributeCombineAddRmsNormV2) X(MoeDistributeCombineSetup) X(MoeDistributeCombineTeardown) \
    X(MoeDistributeCombineV2) X(MoeDistributeCombineV3) X(MoeDistributeCombineV4) X(MoeDistributeDispatch) X(MoeDistributeDispatchSetup) \
    X(MoeDistributeDispatchTeardown) X(MoeDistributeDispatchV2) X(MoeDistributeDispatchV3) X(MoeDistributeDispatchV4) \
    X(MoeFinalizeRouting) X(MoeFinalizeRoutingV2) X(MoeFinalizeRoutingV4) X(MoeGatingTopK) X(MoeGatingTopKBackward) \
    X(MoeGatingTopKSoftmax) X(MoeGatingTopKSoftmaxV2) X(MoeGatingTopKV2) X(MoeInitRouting) X(MoeInitRoutingQuantV2) X(MoeInitRoutingV2) \
    X(MoeInitRoutingV3) X(MoeReRouting) X(MoeTokenPermute) X(MoeTokenPermuteGrad) X(MoeTokenPermuteWithRoutingMap) \
    X(MoeTokenPermuteWithRoutingMapGrad) X(MoeTokenUnpermute) X(MoeTokenUnpermuteGrad) X(MoeTokenUnpermuteWithRoutingMap) \
    X(MoeTokenUnpermuteWithRoutingMapGrad) X(MoeUpdateExpert) X(MseLoss) X(MseLossBackward) X(Mul) X(Muls) X(MultilabelMarginLoss) \
    X(Multinomial) X(MultinomialTensor) X(Mv) X(NLLLoss) X(NLLLoss2d) X(NLLLoss2dBackward) X(NLLLossBackward) X(NanMedian) X(NanMedianDim) \
    X(NanToNum) X(NeScalar) X(NeTensor) X(Neg) X(Nonzero) X(NonzeroV2) X(Norm) X(NormalFloatFloat) X(NormalFloatTensor) \
    X(NormalTensorFloat) X(NormalTensorTensor) X(NpuFormatCast) X(NsaCompress) X(NsaCompressAttention) X(NsaCompressAttentionInfer) \
    X(NsaCompressGrad) X(NsaCompressWithCache) X(NsaSelectedAttention) X(NsaSelectedAttentionGrad) X(NsaSelectedAttentionInfer) \
    X(ObfuscationCalculateV2) X(ObfuscationSetupV2) X(OneHot) X(Pdist) X(Polar) X(PowScalarTensor) X(PowTensorScalar) X(PowTensorTensor) \
    X(Prelu) X(PreluBackward) X(Prod) X(ProdDim) X(PromptFlashAttentionV3) X(QkvRmsNormRopeCache) X(QuantAllReduce) \
    X(QuantBatchMatmulInplaceAdd) X(QuantConvolution) X(QuantFlashAttentionScore) X(QuantFlashAttentionScoreGrad) \
    X(QuantGroupedMatMulAlltoAllv) X(QuantGroupedMatMulAlltoAllvV2) X(QuantGroupedMatmulDequant) X(QuantGroupedMatmulDequantWeightNZ) \
    X(QuantGroupedMatmulInplaceAdd) X(QuantLightningIndexer) X(QuantMatmulAllReduce) X(QuantMatmulAllReduceV2) X(QuantMatmulAllReduceV3) \
    X(QuantMatmulAllReduceV4) X(QuantMatmulAllReduceV5) X(QuantMatmulAlltoAll) X(QuantMatmulAlltoAllV2) X(QuantMatmulDequant) \
    X(QuantMatmulReduceSumWeightNz) X(QuantMatmulV4) X(QuantMatmulV5) X(QuantMatmulWeightNz) X(QuantMax) X(QuantReduceScatter) X(Quantize) \
    X(ROIAlign) X(ROIAlignBackward) X(RReluWithNoise) X(Randperm) X(Range) X(Reciprocal) X(RecurrentGatedDeltaRule) X(ReduceNansum) \
    X(ReduceSum) X(ReflectionPad1d) X(ReflectionPad1dBackward) X(ReflectionPad2d) X(ReflectionPad2dBackward) X(ReflectionPad3d) \
    X(ReflectionPad3dBackward) X(Relu) X(RemainderScalarTensor) X(RemainderTensorScalar) X(RemainderTensorTensor) X(Renorm) X(Repeat) \
    X(RepeatInterleave) X(RepeatInterleaveGrad) X(RepeatInterleaveInt) X(RepeatInterleaveIntWithDim) X(RepeatInterleaveTensor) \
    X(RepeatInterleaveWithDim) X(ReplicationPad1d) X(ReplicationPad1dBackward) X(ReplicationPad2d) X(ReplicationPad2dBackward) \
    X(ReplicationPad3d) X(ReplicationPad3dBackward) X(RightShift) X(RingAttentionUpdateV2) X(RmsNormDynamicMxQuant) X(RmsNormGrad) \
    X(RmsNormGradQuant) X(RmsNormQuant) X(RmsNormQuantV3) X(Roll) X(RopeWithSinCosCache) X(RopeWithSinCosCacheV2) \
    X(RotaryPositionEmbedding) X(RotaryPositionEmbeddingGrad) X(RotaryPositionEmbeddingV2) X(RotateQuant) X(Round) X(RoundDecimals) \
    X(Rsqrt) X(Rsub) X(Rsubs) X(SWhere) X(ScaledMaskedSoftmax) X(ScaledMaskedSoftmaxBackward) X(Scatter) X(ScatterAdd) X(ScatterList) \
    X(ScatterNdUpdate) X(ScatterPaCache) X(ScatterPaKvCache) X(ScatterReduce) X(ScatterValue) X(SearchSorted) X(SearchSorteds) X(Sigmoid) \
    X(SigmoidBackward) X(Sign) X(Signbit) X(SilentCheck) X(SilentCheckV2) X(Silu) X(SiluBackward) X(SimThreadExponential) X(Sin) X(Sinc) \
    X(Sinh) X(Sleep) X(Slogdet) X(SmoothL1Loss) X(SmoothL1LossBackward) X(SoftMarginLoss) X(SoftMarginLossBackward) X(Softmax) \
    X(SoftmaxBackward) X(Softplus) X(SoftplusBackward) X(Softshrink) X(SoftshrinkBackward) X(Sort) X(SparseFlashAttention) \
    X(SparseFlashAttentionGrad) X(SparseFlashAttentionV2) X(SparseLightningIndexerGradKLLoss) X(SparseLightningIndexerGradKLLossV2) \
    X(SplitWithSize) X(Sqrt) X(Stack) X(StatelessExponentialTensor) X(Std) X(StdMeanCorrection) X(StridedSlice) X(Sub) X(Subs) X(Svd) \
    X(SwiGlu) X(SwiGluGrad) X(SwiGluQuantV2) X(SwigluBackwardMxQuantWithDualAxis) X(SwigluGroupQuant) X(SwigluGroupQuantGrad) \
    X(SwigluMxQuant) X(SwigluMxQuantWithDualAxis) X(SyncBatchNormGatherStats) X(Take) X(Tan) X(Tanh) X(TanhBackward) X(ThnnFusedLstmCell) \
    X(ThnnFusedLstmCellBackward) X(Threshold) X(ThresholdBackward) X(TopKTopPSample) X(TopKTopPSampleV2) X(Topk) X(TopkV2) X(Trace) \
    X(TransQuantParamV2) X(TransQuantParamV3) X(TransformBiasRescaleQkv) X(TransposeBatchMatMul) X(TransposeBatchMatMulWeightNz) \
    X(TransposeQuantBatchMatMul) X(TransposeQuantBatchMatMulWeightNz) X(TriangularSolve) X(Tril) X(Triu) X(Trunc) X(UnfoldGrad) X(Unique) \
    X(Unique2) X(UniqueConsecutive) X(UniqueDim) X(UpsampleBicubic2d) X(UpsampleBicubic2dAA) X(UpsampleBicubic2dAAGrad) \
    X(UpsampleBicubic2dBackward) X(UpsampleBilinear2d) X(UpsampleBilinear2dAA) X(UpsampleBilinear2dAABackward) \
    X(UpsampleBilinear2dBackward) X(UpsampleBilinear2dBackwardV2) X(UpsampleLinear1d) X(UpsampleLinear1dBackward) X(UpsampleNearest1d) \
    X(UpsampleNearest1dBackward) X(UpsampleNearest1dV2) X(UpsampleNearest2d) X(UpsampleNearest2dBackward) X(UpsampleNearest2dV2) \
    X(UpsampleNearest3d) X(UpsampleNearest3dBackward) X(UpsampleNearestExact1d) X(UpsampleNearestExact1dBackward) \
    X(UpsampleNearestExact2d) X(UpsampleNearestExact2dBackward) X(UpsampleNearestExact3d) X(UpsampleNearestExact3dBackward) \
    X(UpsampleTrilinear3d) X(UpsampleTrilinear3dBackward) X(VarCorrection) X(VarMean) X(WeightQuantBatchMatmulNz) \
    X(WeightQuantBatchMatmulV2) X(WeightQuantBatchMatmulV3) X(WeightQuantMatmulAllReduce) X(WeightQuantMatmulAllReduceV2) \
    X(WeightQuantPreprocess) X(XLogYScalarOther) X(XLogYScalarSelf) X(XLogYTensor)

#endif
