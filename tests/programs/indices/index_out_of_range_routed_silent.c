//@ flags: -lopapi -lnnopbase
//@ options: check_indices=1
//@ env: ACLSIM_QUIET=1
// Blocks that no sequence fills, dropped rows, and lists of groups that are pairs or of another axis.
#include "paged.h"

int main(void) {
    open_queue();
    aclTensor *tokens = ZEROS(4, 8);

    // What follows the blocks of a sequence is anything, and an empty sequence has none.
    attend(5, table_of(2, 3, (int32_t[]){0, 99, -1, 3, 4, 99}), (int64_t[]){16, 32}, 2);
    attend(5, table_of(2, 2, (int32_t[]){99, 99, -1, -1}), (int64_t[]){0, 0}, 2);
    // Ends of three sequences for two rows: which row has which length is not known.
    attend(5, table_of(2, 2, (int32_t[]){99, 99, 99, 99}), (int64_t[]){16, 32, 48}, 3);

    aclTensor *expanded = ZEROS(8, 8), *rows = table_of(8, 0, NULL), *counts = table_of(4, 0, NULL);
    aclTensor *experts = table_of(4, 2, (int32_t[]){0, 3, 1, 2, 3, 0, 1, 3});
    RUN(aclnnMoeInitRoutingV2, tokens, experts, 0, 0, 4, 0, 1, false, expanded, rows, counts, NULL);
    // Without counts, the number of experts is not given.
    RUN(aclnnMoeInitRoutingV2, tokens, experts, 0, 0, 0, 0, 0, false, expanded, rows, NULL, NULL);
    RUN(aclnnMoeTokenPermute, tokens, experts, 0, false, expanded, rows);
    RUN(aclnnMoeTokenUnpermute, expanded, NARROW(0, 1, 2, 3, 4, 5, 6, 7), NULL, false, NULL, tokens);
    // Six of eight rows were kept; -1 is one that was dropped.
    RUN(aclnnMoeFinalizeRoutingV2, ZEROS(6, 8), NARROW(0, 1, 2, 3, 4, -1, 6, 7), NULL, NULL, NULL, NULL, NULL, 0, tokens);

    aclTensorList *x = single(tokens), *w = single(ZEROS(8, 8)), *y = single(ZEROS(4, 8));
    RUN(aclnnGroupedMatmulV4, x, w, NULL, NULL, NULL, NULL, NULL, NULL, NUMBERS(1, 4), NULL, NULL, NULL, 3, 0, 0, 0, y, NULL, NULL);
    // Counts, of which all rows may be one group's.
    RUN(aclnnGroupedMatmulV4, x, w, NULL, NULL, NULL, NULL, NULL, NULL, NUMBERS(0, 4), NULL, NULL, NULL, 3, 0, 1, 0, y, NULL, NULL);
    // Pairs of a group's number and its rows.
    RUN(aclnnGroupedMatmulV4, x, w, NULL, NULL, NULL, NULL, NULL, NULL, ROWS_OF_TWO(200, 1, 7, 3), NULL, NULL, NULL, 3, 0, 2, 0, y, NULL, NULL);
    // Groups of columns.
    RUN(aclnnGroupedMatmulV4, x, w, NULL, NULL, NULL, NULL, NULL, NULL, NUMBERS(1, 8), NULL, NULL, NULL, 3, 2, 0, 0, y, NULL, NULL);
    close_queue();
    return 0;
}
