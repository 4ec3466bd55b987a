//@ flags: -lopapi -lnnopbase
//@ options: check_indices=1
// Indices that look wrong and are not: the last one, negative ones that count from the end, classes to ignore, none at all.
#include "indices.h"

int main(void) {
    open_queue();
    aclTensor *table = ZEROS(100, 4), *rows = ZEROS(3, 4), *scores = ZEROS(2, 10);

    RUN(aclnnEmbedding, table, NUMBERS(0, 99, 98), rows);
    RUN(aclnnEmbedding, table, NARROW(0, 1, 99), rows);
    RUN(aclnnGather, scores, 1, ROWS_OF_TWO(-10, 9, 0, -1), ZEROS(2, 2));
    // The same numbers along another axis.
    RUN(aclnnGather, table, 0, ROWS_OF_TWO(99, -100), ZEROS(1, 2));

    aclTensor *loss = ZEROS(1, 0), *total = ZEROS(1, 0), *weight = ZEROS(10, 0);
    RUN(aclnnNLLLoss, scores, NUMBERS(9, -100), weight, 1, -100, loss, total);
    RUN(aclnnNLLLoss, scores, NUMBERS(255, 0), weight, 1, 255, loss, total);

    RUN(aclnnIndex, table, pair(NUMBERS(-100, 99), NUMBERS(3, -4)), ZEROS(2, 0));
    // No index for the first axis, which stays whole.
    const int64_t none = 0;
    const aclTensor *hole = aclCreateTensor(&none, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &none, 1, NULL);
    RUN(aclnnIndex, table, pair(hole, NUMBERS(3, 0)), ZEROS(100, 2));

    RUN(aclnnIndexSelect, table, 1, NUMBERS(-4, 3), ZEROS(100, 2));
    RUN(aclnnIndexSelect, table, 0, tensor(ACL_INT64, 0, 0, NULL), ZEROS(0, 4));
    RUN(aclnnTake, weight, NUMBERS(-10, 9), ZEROS(2, 0));
    RUN(aclnnInplaceIndexCopy, table, 0, NUMBERS(0, 99, 1), rows);
    RUN(aclnnEmbeddingBag, table, NUMBERS(0, 1, 2), NUMBERS(0, 3), false, 0, false, NULL, false, -1, ZEROS(2, 4), NUMBERS(0, 0, 0), NUMBERS(0, 0), NUMBERS(0, 0));

    // The last slot of the cache, and a token that has none.
    const int64_t token[] = {2, 1, 4}, cache[] = {2, 4, 1, 4};
    aclTensor *keys = shaped(3, token), *values = shaped(3, token), *key_cache = shaped(4, cache), *value_cache = shaped(4, cache);
    RUN(aclnnScatterPaKvCache, keys, key_cache, NUMBERS(7, -1), values, value_cache, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

    // Every second number of eight, from the third on: the others are no indices.
    const int64_t count = 3, stride = 2, stored = 8, spaced[] = {1000, 1000, 2, -1000, 3, 1000, 4, 1000};
    void *memory = device(sizeof spaced);
    MUST(aclrtMemcpy(memory, sizeof spaced, spaced, sizeof spaced, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *strided = aclCreateTensor(&count, 1, ACL_INT64, &stride, 2, ACL_FORMAT_ND, &stored, 1, memory);
    RUN(aclnnEmbedding, table, strided, rows);
    MUST(aclDestroyTensor(strided));
    MUST(aclrtFree(memory));

    close_queue();
    return 0;
}
