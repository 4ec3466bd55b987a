/* Shapes that go together, for operators whose arguments chance alone hardly makes fit: one for each tensor, in order.
 *
 * A letter is a size that the call draws, a digit itself; Q and R are four and three times `h`. Of a list, shapes are between commas. `-` is none,
 * and `#` is before the shape of a tensor of integers. */
#ifndef SIMULATOR_ACLNN_SHAPES_H
#define SIMULATOR_ACLNN_SHAPES_H

static const struct {
    const char *operator, *shapes;
} templates[] = {
    {"Addr", "ab a b ab"},
    {"InplaceAddr", "ab a b"},
    {"AvgPool2d", "nchw nc11"},
    {"AvgPool2dBackward", "nc11 nchw nchw"},
    {"AvgPool3d", "ncdhw nc111"},
    {"AvgPool3dBackward", "nc111 ncdhw ncdhw"},
    {"BatchNorm", "nchw c c c c nchw c c"},
    {"BatchNormBackward", "nchw nchw c c c c c nchw c c"},
    {"Convolution", "nchw kcxy k nk11"},
    {"ConvolutionBackward", "nk11 nchw kcxy nchw kcxy k"},
    {"CtcLoss", "t1c #1l 1 1t9"},
    {"CtcLossBackward", "1 t1c #1l 1 1t9 t1c"},
    {"Embedding", "rc #n nc"},
    {"EmbeddingBag", "rc #n #b - bc #n #b #bc"},
    {"EmbeddingDenseBackward", "nc #n rc"},
    {"FlashAttentionScore", "bnsd bnkd bnkv - - - bnsk bns8 bns8 - bnsv"},
    {"FlashAttentionScoreGrad", "bnsd bnkd bnkv bnsv - - - bnsk bns8 bns8 - bnsv bnsd bnkd bnkv -"},
    {"FusedInferAttentionScore", "b1sd b1kd b1kv b1sk b1sk - - - - - - - - - - b1sv b1s1"},
    {"FusedInferAttentionScoreV2", "b1sd b1kd b1kv b1sk b1sk - - - - - - - - - - - - - - - - b1sv b1s1"},
    {"FusedInferAttentionScoreV3", "b1sd b1kd b1kv b1sk b1sk - - - - - - - - - - - - - - - - - - - b1sv b1s1"},
    {"FusedInferAttentionScoreV4", "b1sd b1kd b1kv b1sk b1sk - - - - - - - - - - - - - - - - - - - - - b1sv b1s1"},
    {"GRU", "bbi Ri,Rh,R,R 1bh - bbh 1bh bbh bbh bbh bbh bbh"},
    {"GRUBackward", "bbi Ri,Rh,R,R 1bh bbh 1bh bbh bbh bbh bbh bbh - bbi 1bh Ri,Rh,R,R"},
    {"GridSampler2D", "nchw nxy2 ncxy"},
    {"GridSampler2DBackward", "ncxy nchw nxy2 nchw nxy2"},
    {"GridSampler3D", "ncdhw nxyz3 ncxyz"},
    {"GridSampler3DBackward", "ncxyz ncdhw nxyz3 ncdhw nxyz3"},
    {"GroupNorm", "111 1 1 111 1 1"},
    {"GroupNormBackward", "111 111 1 1 1 111 1 1"},
    {"Im2col", "ncaa nc4"},
    {"Im2colBackward", "nc4 nc22"},
    {"LSTM", "bbi Qi,Qh,Q,Q 1bh,1bh - bbh 1bh 1bh bbh bbh bbh bbh bbh bbh bbh"},
    {"LstmBackward", "bbi 1bh,1bh Qi,Qh,Q,Q bbh 1bh 1bh bbh bbh bbh bbh bbh bbh bbh - bbi 1bh 1bh Qi,Qh,Q,Q"},
    {"MaxPool", "nchw nc11"},
    {"MaxPool2dWithIndices", "nchw nc11 nc11"},
    {"MaxPool2dWithIndicesBackward", "nc11 nchw nc11 nchw"},
    {"MaxPool2dWithMask", "nchw nc11 nc11"},
    {"MaxPool2dWithMaskBackward", "nc11 nchw nc11 nchw"},
    {"MaxPool3dWithArgmax", "ncdhw nc111 nc111"},
    {"MaxPool3dWithArgmaxBackward", "nc111 ncdhw nc111 ncdhw"},
    {"MaxUnpool2d", "nc11 #nc11 nchw"},
    {"MaxUnpool3d", "nc111 #nc111 ncdhw"},
    {"NLLLoss", "nc #n c 1 1"},
    {"NLLLossBackward", "1 nc #n c 1 nc"},
    {"NLLLoss2d", "nchw #nhw c 1 1"},
    {"NLLLoss2dBackward", "1 nchw #nhw c 1 nchw"},
    {"OneHot", "#ab 1 1 ab1"},
    {"UnfoldGrad", "ab2 a5"},
    {"WeightQuantBatchMatmulV2", "nk #kc c - - - c nc"},
};

#endif
