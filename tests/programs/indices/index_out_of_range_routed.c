//@ flags: -lopapi -lnnopbase
//@ options: check_indices=1
//@ env: ACLSIM_QUIET=1
// Blocks that a paged cache does not have, experts that there are not, rows and groups beyond the tokens.
#include "paged.h"

int main(void) {
    open_queue();
    aclTensor *tokens = ZEROS(4, 8);

    // The second sequence fills two blocks, and the second one is none of the five.
    attend(5, table_of(2, 3, (int32_t[]){0, 9, 9, 4, 5, 9}), (int64_t[]){16, 17}, 2);
    // One length for both.
    attend(5, table_of(2, 2, (int32_t[]){0, 1, 2, -1}), (int64_t[]){20}, 1);

    aclTensor *expanded = ZEROS(8, 8), *rows = table_of(8, 0, NULL), *counts = table_of(4, 0, NULL);
    RUN(aclnnMoeInitRoutingV2, tokens, table_of(4, 2, (int32_t[]){0, 3, 1, 2, 4, 0, 1, 3}), 0, 0, 4, 0, 1, false, expanded, rows, counts, NULL);
    RUN(aclnnMoeTokenPermute, tokens, table_of(4, 2, (int32_t[]){0, 3, 1, 2, -1, 0, 1, 3}), 0, false, expanded, rows);
    RUN(aclnnMoeTokenUnpermute, expanded, NARROW(0, 1, 2, 3, 4, 5, 6, 8), NULL, false, NULL, ZEROS(4, 8));
    RUN(aclnnMoeFinalizeRoutingV2, expanded, NARROW(0, 1, 2, 3, 4, 5, 6, 8), NULL, NULL, NULL, NULL, NULL, 0, tokens);

    // Ends of groups: the last one is past the four rows.
    RUN(aclnnGroupedMatmulV4, single(tokens), single(ZEROS(8, 8)), NULL, NULL, NULL, NULL, NULL, NULL, NUMBERS(1, 5), NULL, NULL, NULL, 3, 0, 0, 0, single(ZEROS(4, 8)), NULL, NULL);
    close_queue();
    return 0;
}
