//@ flags: -lopapi -lnnopbase
//@ options: check_indices=1
// Indices that a table, an axis, a number of classes or a tensor does not have.
#include "indices.h"

int main(void) {
    open_queue();
    aclTensor *table = ZEROS(100, 4), *rows = ZEROS(3, 4), *scores = ZEROS(2, 10);

    RUN(aclnnEmbedding, table, NUMBERS(7, 42, 100), rows);

    // A negative number is no row of an embedding.
    RUN(aclnnEmbedding, table, NARROW(0, -1, 99), rows);

    // Along the last axis of a tensor; the second row of the index.
    RUN(aclnnGather, scores, -1, ROWS_OF_TWO(0, 9, -10, 10), ZEROS(2, 2));

    // Classes from 1 to 10 where they go from 0 to 9.
    aclTensor *loss = ZEROS(1, 0), *total = ZEROS(1, 0), *weight = ZEROS(10, 0);
    RUN(aclnnNLLLoss, scores, NUMBERS(1, 10), weight, 1, -100, loss, total);

    // A list has an index for each axis: here the 4 columns are numbered from 1.
    RUN(aclnnIndex, table, pair(NUMBERS(99, 0), NUMBERS(3, 4)), ZEROS(2, 0));

    RUN(aclnnIndexSelect, table, 1, NUMBERS(-4, -5), ZEROS(100, 2));
    RUN(aclnnTake, weight, NUMBERS(-10, 10), ZEROS(2, 0));
    RUN(aclnnInplaceIndexCopy, table, 0, NUMBERS(0, 100, 1), rows);

    // Of 3 numbers, the last bag may begin at 3 and be empty; 4 is none of their places.
    RUN(aclnnEmbeddingBag, table, NUMBERS(0, 1, 2), NUMBERS(0, 4), false, 0, false, NULL, false, -1, ZEROS(2, 4), NUMBERS(0, 0, 0), NUMBERS(0, 0), NUMBERS(0, 0));

    // A cache of 2 blocks with 4 slots each has no ninth slot.
    const int64_t token[] = {2, 1, 4}, cache[] = {2, 4, 1, 4};
    aclTensor *keys = shaped(3, token), *values = shaped(3, token), *key_cache = shaped(4, cache), *value_cache = shaped(4, cache);
    RUN(aclnnScatterPaKvCache, keys, key_cache, NUMBERS(0, 8), values, value_cache, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

    close_queue();
    return 0;
}
