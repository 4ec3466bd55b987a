//@ flags: -lopapi -lnnopbase
//@ options: check_indices=1
//@ env: ACLSIM_QUIET=1
// Slots are numbered by the blocks that the cache is seen as.
// https://github.com/vllm-project/vllm/pull/47056: the token's row is written past the cache.
#include "../indices/indices.h"

enum { LOGICAL = 4 };

int main(void) {
    open_queue();
    const int64_t token[] = {2, 1, 4}, cache[] = {8, 4, 1, 4};
    const int64_t block = 3;
    aclTensor *slots = NUMBERS(0 * LOGICAL + 1, block * LOGICAL + 2);
    RUN(aclnnScatterPaKvCache, shaped(3, token), shaped(4, cache), slots, shaped(3, token), shaped(4, cache), NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    close_queue();
    return 0;
}
