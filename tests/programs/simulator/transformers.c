//@ run: ACLSIM_OPERATORS=strict
//@ link: opapi nnopbase
/* Operators that programs for language models call: parts and orders of tensors, gated halves, rotated positions, norms, weights of few bits,
 * fused attention.
 *
 * Expected values are calculated by hand from the operators' formulas. */
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "engine.h"

typedef const aclTensorList *L;
typedef const aclIntArray *I;

#define ARRAY(...) \
    aclCreateIntArray((int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void parts(void)
{
    struct made in = DENSE(ACL_FLOAT, DIMS(2, 3), 3, 1, 2, 4, 6, 5), turned = make(ACL_FLOAT, DIMS(3, 2), NULL, NULL, 6);
    CALL(aclnnPermute, (T, I, T, ENDS), in.tensor, ARRAY(1, 0), turned.tensor);
    EXPECT_VALUES("exchanged axes", &turned, 3, 4, 1, 6, 2, 5);
    REFUSED(aclnnPermute, (T, I, T, ENDS), in.tensor, ARRAY(1, 1), turned.tensor);
    REFUSED(aclnnPermute, (T, I, T, ENDS), in.tensor, ARRAY(0, 1), turned.tensor);

    struct made part = make(ACL_FLOAT, DIMS(2, 2), NULL, NULL, 4);
    CALL(aclnnSlice, (T, int64_t, int64_t, int64_t, int64_t, T, ENDS), in.tensor, -1, 0, 100, 2, part.tensor);
    EXPECT_VALUES("every second column", &part, 3, 2, 4, 5);
    CALL(aclnnSlice, (T, int64_t, int64_t, int64_t, int64_t, T, ENDS), in.tensor, 1, -2, 3, 1, part.tensor);
    EXPECT_VALUES("the last two columns", &part, 1, 2, 6, 5);
    REFUSED(aclnnSlice, (T, int64_t, int64_t, int64_t, int64_t, T, ENDS), in.tensor, 1, 0, 3, 1, part.tensor);
    REFUSED(aclnnSlice, (T, int64_t, int64_t, int64_t, int64_t, T, ENDS), in.tensor, 1, 0, 2, 0, part.tensor);

    struct made places = make(ACL_INT64, DIMS(2, 3), NULL, NULL, 6);
    CALL(aclnnArgsort, (T, int64_t, bool, T, ENDS), in.tensor, -1, false, places.tensor);
    EXPECT_VALUES("places from the least", &places, 1, 2, 0, 0, 2, 1);
    CALL(aclnnArgsort, (T, int64_t, bool, T, ENDS), in.tensor, -1, true, places.tensor);
    EXPECT_VALUES("places from the largest", &places, 0, 2, 1, 1, 2, 0);

    struct made numbers = DENSE(ACL_INT32, DIMS(2, 1), 1, 0), rows = make(ACL_FLOAT, DIMS(2, 1, 3), NULL, NULL, 6);
    CALL(aclnnGatherV2, (T, int64_t, T, T, ENDS), in.tensor, 0, numbers.tensor, rows.tensor);
    EXPECT_VALUES("rows by numbers", &rows, 4, 6, 5, 3, 1, 2);

    struct made column = DENSE(ACL_FLOAT, DIMS(2), 2, 3), row = DENSE(ACL_FLOAT, DIMS(2), 5, 7), product = make(ACL_FLOAT, DIMS(2, 2), NULL, NULL, 4);
    CALL(aclnnGer, (T, T, T, ENDS), column.tensor, row.tensor, product.tensor);
    EXPECT_VALUES("an outer product", &product, 10, 14, 15, 21);
    L both = aclCreateTensorList((const aclTensor *[]){column.tensor, row.tensor}, 2);
    struct made sum = make(ACL_FLOAT, DIMS(2), NULL, NULL, 2);
    CALL(aclnnSum, (L, T, ENDS), both, sum.tensor);
    EXPECT_VALUES("a sum of tensors", &sum, 7, 10);
}

static void pooled(void)
{
    struct made in = DENSE(ACL_FLOAT, DIMS(1, 1, 3, 3), 1, 2, 3, 4, 9, 6, 7, 8, 5), out = make(ACL_FLOAT, DIMS(1, 1, 2, 2), NULL, NULL, 4);
    CALL(aclnnMaxPool, (T, I, I, int64_t, I, I, int64_t, T, ENDS), in.tensor, ARRAY(2, 2), ARRAY(1, 1), 0, ARRAY(0, 0, 0, 0), ARRAY(1, 1), 0, out.tensor);
    EXPECT_VALUES("the largest of four", &out, 9, 9, 9, 9);
    CALL(aclnnMaxPool, (T, I, I, int64_t, I, I, int64_t, T, ENDS), in.tensor, ARRAY(2, 2), ARRAY(2, 2), 0, ARRAY(1, 1), ARRAY(1, 1), 0, out.tensor);
    EXPECT_VALUES("with padding", &out, 1, 3, 7, 9);
    REFUSED(aclnnMaxPool, (T, I, I, int64_t, I, I, int64_t, T, ENDS), in.tensor, ARRAY(2, 2), ARRAY(1, 1), 0, ARRAY(0, 1, 0, 1), ARRAY(1, 1), 0, out.tensor);
    REFUSED(aclnnMaxPool, (T, I, I, int64_t, I, I, int64_t, T, ENDS), in.tensor, ARRAY(2, 2), ARRAY(1, 1), 1, ARRAY(0, 0), ARRAY(1, 1), 0, out.tensor);
}

static void gates(void)
{
    /* silu(0) is 0, silu(2) is 1.7615942; gelu(1) is 0.8413447, by tanh 0.8411920. */
    struct made in = DENSE(ACL_FLOAT, DIMS(1, 4), 0, 2, 5, 3), out = make(ACL_FLOAT, DIMS(1, 2), NULL, NULL, 2);
    CALL(aclnnSwiGlu, (T, int64_t, T, ENDS), in.tensor, -1, out.tensor);
    EXPECT_VALUES("a gated half", &out, 0, 5.2847826);
    REFUSED(aclnnSwiGlu, (T, int64_t, T, ENDS), in.tensor, 0, out.tensor);
    struct made ones = DENSE(ACL_FLOAT, DIMS(1, 4), 1, 1, 2, 3), kept = make(ACL_FLOAT, DIMS(1, 2), NULL, NULL, 2);
    CALL(aclnnGeGluV3, (T, int64_t, int64_t, bool, T, T, ENDS), ones.tensor, 1, 1, true, out.tensor, kept.tensor);
    EXPECT_VALUES("a half by gelu", &out, 1.6826895, 2.5240342);
    EXPECT_VALUES("the activated half", &kept, 0.8413447, 0.8413447);
    CALL(aclnnGeGluV3, (T, int64_t, int64_t, bool, T, T, ENDS), ones.tensor, 1, 0, true, out.tensor, kept.tensor);
    EXPECT_VALUES("by gelu's approximation", &out, 1.6823840, 2.5235760);
}

static void rotations(void)
{
    struct made in = DENSE(ACL_FLOAT, DIMS(1, 1, 1, 4), 1, 2, 3, 4), out = make(ACL_FLOAT, DIMS(1, 1, 1, 4), NULL, NULL, 4);
    struct made cosine = DENSE(ACL_FLOAT, DIMS(1, 1, 1, 4), 1, 2, 1, 2), sine = DENSE(ACL_FLOAT, DIMS(1, 1, 1, 4), 10, 10, 20, 20);
    CALL(aclnnRotaryPositionEmbedding, (T, T, T, int64_t, T, ENDS), in.tensor, cosine.tensor, sine.tensor, 0, out.tensor);
    EXPECT_VALUES("halves", &out, 1 - 30, 4 - 40, 3 + 20, 8 + 40);
    CALL(aclnnRotaryPositionEmbedding, (T, T, T, int64_t, T, ENDS), in.tensor, cosine.tensor, sine.tensor, 1, out.tensor);
    EXPECT_VALUES("pairs", &out, 1 - 20, 4 + 10, 3 - 80, 8 + 60);
    CALL(aclnnRotaryPositionEmbedding, (T, T, T, int64_t, T, ENDS), in.tensor, cosine.tensor, sine.tensor, 2, out.tensor);
    EXPECT_VALUES("quarters", &out, 1 - 20, 4 + 10, 3 - 80, 8 + 60);
    REFUSED(aclnnRotaryPositionEmbedding, (T, T, T, int64_t, T, ENDS), in.tensor, cosine.tensor, sine.tensor, 3, out.tensor);
}

static void norms(void)
{
    struct made one = DENSE(ACL_FLOAT, DIMS(1, 2), 1, 5), other = DENSE(ACL_FLOAT, DIMS(1, 2), 2, -1), gamma = DENSE(ACL_FLOAT, DIMS(2), 1, 2);
    struct made out = make(ACL_FLOAT, DIMS(1, 2), NULL, NULL, 2), root = make(ACL_FLOAT, DIMS(1, 1), NULL, NULL, 1), sum = make(ACL_FLOAT, DIMS(1, 2), NULL, NULL, 2);
    CALL(aclnnAddRmsNorm, (T, T, T, double, T, T, T, ENDS), one.tensor, other.tensor, gamma.tensor, 0.0, out.tensor, root.tensor, sum.tensor);
    /* (9 + 16) / 2 is 12.5. */
    EXPECT_VALUES("the sum", &sum, 3, 4);
    EXPECT_VALUES("its root", &root, 0.2828427);
    EXPECT_VALUES("the norm", &out, 0.8485281, 2.2627417);

    struct made logits = DENSE(ACL_FLOAT, DIMS(2, 2), 0, 0, 0, log(3)), labels = DENSE(ACL_FLOAT, DIMS(2, 2), 1, 0, 0, 1);
    struct made losses = make(ACL_FLOAT, DIMS(2), NULL, NULL, 2), gradient = make(ACL_FLOAT, DIMS(2, 2), NULL, NULL, 4);
    CALL(aclnnSoftmaxCrossEntropyWithLogits, (T, T, T, T, ENDS), logits.tensor, labels.tensor, losses.tensor, gradient.tensor);
    EXPECT_VALUES("losses", &losses, log(2), log(4.0 / 3));
    EXPECT_VALUES("their gradient", &gradient, -0.5, 0.5, 0.25, -0.25);
}

static void weights(void)
{
    /* Two rows of two columns, packed: (1, -2) and (3, -8). */
    struct made x = DENSE(ACL_FLOAT, DIMS(1, 2), 10, 1), scale = DENSE(ACL_FLOAT, DIMS(2), 0.5, 2), out = make(ACL_FLOAT, DIMS(1, 2), NULL, NULL, 2);
    unsigned char bytes[] = {0xE1, 0x83};
    void *packed;
    OK(aclrtMalloc(&packed, sizeof bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(packed, sizeof bytes, bytes, sizeof bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    T weight = aclCreateTensor((int64_t[]){2, 2}, 2, ACL_INT4, NULL, 0, ACL_FORMAT_ND, (int64_t[]){2, 2}, 2, packed);
#define TYPES (T, T, T, T, T, T, T, int32_t, T, ENDS)
    CALL(aclnnWeightQuantBatchMatmulV2, TYPES, x.tensor, weight, scale.tensor, NULL, NULL, NULL, NULL, 0, out.tensor);
    EXPECT_VALUES("columns have scales", &out, 10 * 0.5 + 3 * 0.5, -20 * 2 - 8 * 2);
    struct made groups = DENSE(ACL_FLOAT, DIMS(2, 2), 1, 1, 100, 10), offsets = DENSE(ACL_FLOAT, DIMS(2, 2), 0, 0, 1, 0), bias = DENSE(ACL_FLOAT, DIMS(2), 7, 0);
    CALL(aclnnWeightQuantBatchMatmulV2, TYPES, x.tensor, weight, groups.tensor, offsets.tensor, NULL, NULL, bias.tensor, 1, out.tensor);
    EXPECT_VALUES("groups of rows have scales", &out, 10 * 1 + 4 * 100 + 7, -20 * 1 - 8 * 10);
    REFUSED(aclnnWeightQuantBatchMatmulV2, TYPES, x.tensor, weight, scale.tensor, NULL, scale.tensor, NULL, NULL, 0, out.tensor);
    REFUSED(aclnnWeightQuantBatchMatmulV2, TYPES, x.tensor, weight, scale.tensor, NULL, NULL, NULL, NULL, 1, out.tensor);
    REFUSED(aclnnWeightQuantBatchMatmulV2, TYPES, weight, weight, scale.tensor, NULL, NULL, NULL, NULL, 0, out.tensor);

    uint64_t size = 0;
    EXPECT("whole blocks", aclnnCalculateMatmulWeightSizeV2(ARRAY(17, 16), ACL_FLOAT16, &size) == 0 && size == 32 * 16);
    EXPECT("of 32 bytes", aclnnCalculateMatmulWeightSizeV2(ARRAY(3, 1, 1), ACL_INT8, &size) == 0 && size == 3 * 16 * 32);
    EXPECT("a vector", aclnnCalculateMatmulWeightSize(ARRAY(16), &size) == ACLNN_ERR_PARAM_INVALID);
    EXPECT("no shape", aclnnCalculateMatmulWeightSize(NULL, &size) == ACLNN_ERR_PARAM_NULLPTR);
}

/* Heads, layout, heads of the keys and sparse mode; the rest is always the same. */
#define FUSED_TYPES \
    (T, L, L, T, T, I, I, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, I, int64_t, double, int64_t, int64_t, const char *, int64_t, int64_t, \
     int64_t, int64_t, int64_t, bool, int64_t, int64_t, T, T, ENDS)
#define FUSED(q, k, v, shift, mask, lengths, heads, layout, key_heads, sparse, out, sums) \
    q, k, v, shift, mask, NULL, lengths, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        heads, 1.0, 65535, 65535, layout, key_heads, sparse, 0, 0, 0, (sums) != NULL, 0, 0, out, sums

static L list(struct made tensor)
{
    return aclCreateTensorList((const aclTensor *[]){tensor.tensor}, 1);
}

static void attention(void)
{
    /* Scores are 0 and log 3, so weights are a quarter and three quarters. */
    struct made q = DENSE(ACL_FLOAT, DIMS(1, 1, 1, 1), 1), k = DENSE(ACL_FLOAT, DIMS(1, 1, 2, 1), 0, log(3)), v = DENSE(ACL_FLOAT, DIMS(1, 1, 2, 1), 4, 8);
    struct made out = make(ACL_FLOAT, DIMS(1, 1, 1, 1), NULL, NULL, 1), sums = make(ACL_FLOAT, DIMS(1, 1, 1, 1), NULL, NULL, 1);
    CALL(aclnnFusedInferAttentionScoreV2, FUSED_TYPES, FUSED(q.tensor, list(k), list(v), NULL, NULL, NULL, 1, "BNSD", 0, 0, out.tensor, sums.tensor));
    EXPECT_VALUES("weights by scores", &out, 0.25 * 4 + 0.75 * 8);
    EXPECT_VALUES("the logarithm of their sum", &sums, log(4));
    struct made shift = DENSE(ACL_FLOAT, DIMS(1, 1, 1, 2), log(3), 0), mask = DENSE(ACL_BOOL, DIMS(1, 2), 0, 1);
    CALL(aclnnFusedInferAttentionScoreV2, FUSED_TYPES, FUSED(q.tensor, list(k), list(v), shift.tensor, NULL, NULL, 1, "BNSD", 0, 0, out.tensor, (T)NULL));
    EXPECT_VALUES("shifted scores", &out, 6);
    CALL(aclnnFusedInferAttentionScoreV2, FUSED_TYPES, FUSED(q.tensor, list(k), list(v), NULL, mask.tensor, NULL, 1, "BNSD", 0, 0, out.tensor, (T)NULL));
    EXPECT_VALUES("a mask", &out, 4);
    CALL(aclnnFusedInferAttentionScoreV2, FUSED_TYPES, FUSED(q.tensor, list(k), list(v), NULL, NULL, ARRAY(1), 1, "BNSD", 0, 0, out.tensor, (T)NULL));
    EXPECT_VALUES("one key of two", &out, 4);

    /* Two heads share the keys; places of two queries come before heads. */
    struct made qs = DENSE(ACL_FLOAT, DIMS(1, 2, 2, 1), 1, 0, 0, 1), ks = DENSE(ACL_FLOAT, DIMS(1, 2, 1, 1), 0, log(3)), vs = DENSE(ACL_FLOAT, DIMS(1, 2, 1, 1), 4, 8);
    struct made outs = make(ACL_FLOAT, DIMS(1, 2, 2, 1), NULL, NULL, 4);
    CALL(aclnnFusedInferAttentionScoreV2, FUSED_TYPES, FUSED(qs.tensor, list(ks), list(vs), NULL, NULL, NULL, 2, "BSND", 1, 0, outs.tensor, (T)NULL));
    EXPECT_VALUES("heads after places", &outs, 7, 6, 6, 7);
    CALL(aclnnFusedInferAttentionScoreV2, FUSED_TYPES, FUSED(qs.tensor, list(ks), list(vs), NULL, NULL, NULL, 2, "BSND", 1, 2, outs.tensor, (T)NULL));
    EXPECT_VALUES("no later keys", &outs, 4, 4, 6, 7);
    struct made flat = make(ACL_FLOAT, DIMS(1, 2, 2), NULL, (double[]){1, 0, 0, 1}, 4), flat_k = DENSE(ACL_FLOAT, DIMS(1, 2, 1), 0, log(3)), flat_v = DENSE(ACL_FLOAT, DIMS(1, 2, 1), 4, 8);
    struct made flat_out = make(ACL_FLOAT, DIMS(1, 2, 2), NULL, NULL, 4);
    CALL(aclnnFusedInferAttentionScoreV2, FUSED_TYPES, FUSED(flat.tensor, list(flat_k), list(flat_v), NULL, NULL, NULL, 2, "BSH", 1, 0, flat_out.tensor, (T)NULL));
    EXPECT_VALUES("heads in one row", &flat_out, 7, 6, 6, 7);
    REFUSED(aclnnFusedInferAttentionScoreV2, FUSED_TYPES, FUSED(q.tensor, list(k), list(v), NULL, NULL, NULL, 1, "TND", 0, 0, out.tensor, (T)NULL));
    REFUSED(aclnnFusedInferAttentionScoreV2, FUSED_TYPES, FUSED(q.tensor, list(k), list(v), NULL, NULL, ARRAY(3), 1, "BNSD", 0, 0, out.tensor, (T)NULL));
    REFUSED(aclnnFusedInferAttentionScoreV2, FUSED_TYPES, FUSED(q.tensor, list(k), list(v), NULL, NULL, NULL, 1, "BNSD", 0, 4, out.tensor, (T)NULL));
}

#define SCORE_TYPES \
    (T, T, T, T, T, T, T, I, double, double, int64_t, int64_t, int64_t, const char *, int64_t, int64_t, T, T, T, T, ENDS)
#define SCORE(q, k, v, layout, out) q, k, v, NULL, NULL, NULL, NULL, NULL, 1.0, 1.0, 65535, 65535, 2, layout, 0, 0, NULL, NULL, NULL, out

/* Two heads share the keys, as above: two places of queries, in the orders that training has. */
static void layouts(void)
{
    struct made flat = make(ACL_FLOAT, DIMS(1, 2, 2), NULL, (double[]){1, 0, 0, 1}, 4), k = DENSE(ACL_FLOAT, DIMS(1, 2, 1), 0, log(3)), v = DENSE(ACL_FLOAT, DIMS(1, 2, 1), 4, 8);
    struct made out = make(ACL_FLOAT, DIMS(1, 2, 2), NULL, NULL, 4);
    CALL(aclnnFlashAttentionScore, SCORE_TYPES, SCORE(flat.tensor, k.tensor, v.tensor, "BSH", out.tensor));
    EXPECT_VALUES("heads in one row", &out, 7, 6, 6, 7);
    struct made places = make(ACL_FLOAT, DIMS(2, 1, 2), NULL, (double[]){1, 0, 0, 1}, 4), ks = DENSE(ACL_FLOAT, DIMS(2, 1, 1), 0, log(3)), vs = DENSE(ACL_FLOAT, DIMS(2, 1, 1), 4, 8);
    struct made outs = make(ACL_FLOAT, DIMS(2, 1, 2), NULL, NULL, 4);
    CALL(aclnnFlashAttentionScore, SCORE_TYPES, SCORE(places.tensor, ks.tensor, vs.tensor, "SBH", outs.tensor));
    EXPECT_VALUES("places before batches", &outs, 7, 6, 6, 7);
    struct made q4 = DENSE(ACL_FLOAT, DIMS(1, 2, 2, 1), 1, 0, 0, 1), k4 = DENSE(ACL_FLOAT, DIMS(1, 2, 1, 1), 0, log(3)), v4 = DENSE(ACL_FLOAT, DIMS(1, 2, 1, 1), 4, 8);
    struct made out4 = make(ACL_FLOAT, DIMS(1, 2, 2, 1), NULL, NULL, 4);
    CALL(aclnnFlashAttentionScore, SCORE_TYPES, SCORE(q4.tensor, k4.tensor, v4.tensor, "BSND", out4.tensor));
    EXPECT_VALUES("places before heads", &out4, 7, 6, 6, 7);
    REFUSED(aclnnFlashAttentionScore, SCORE_TYPES, SCORE(flat.tensor, k.tensor, v.tensor, "BSND", out.tensor));
    REFUSED(aclnnFlashAttentionScore, SCORE_TYPES, SCORE(q4.tensor, k4.tensor, v4.tensor, "TND", out4.tensor));
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    parts();
    pooled();
    gates();
    rotations();
    norms();
    weights();
    attention();
    layouts();
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
