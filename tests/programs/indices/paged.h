/* A paged cache of blocks with 16 slots, and attention over it. */
#ifndef PROGRAMS_PAGED_H
#define PROGRAMS_PAGED_H
#include "indices.h"

/* Attention of two sequences over a cache; the operator's other arguments are optional. */
static void attend(int64_t blocks_of_cache, aclTensor *blocks, const int64_t *lengths, uint64_t count) {
    const int64_t cache[] = {blocks_of_cache, 16, 1, 4};
    aclTensor *query = ZEROS(2, 4), *out = ZEROS(2, 4);
    aclIntArray *used = aclCreateIntArray(lengths, count);
    aclTensorList *keys = single(shaped(4, cache)), *values = single(ZEROS(1, 1));
    char layout[] = "TND";
    RUN(aclnnFusedInferAttentionScoreV3, query, keys, values, NULL, NULL, NULL, used, NULL, NULL, NULL, NULL, NULL, NULL, NULL, blocks,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1.0, 0, 0, layout, 1, 0, 0, 16, 0, false, 0, 0, out, NULL);
    MUST(aclDestroyIntArray(used));
}
#endif
