// Blocks of a pool with one user and with two, handed out again, and decoded into; pools refused and pools numbered 0.
#include "../rt.h"

int main(void) {
    begin();
    MUST(hi_mpi_sys_init());
    hi_vb_pool_config none = {0}, wanted = {.blk_size = 4096, .blk_cnt = 1};
    printf("refused: %d\n", hi_mpi_vb_create_pool(&none) == (hi_vb_pool)HI_VB_INVALID_POOLID);
    hi_vb_pool pool = hi_mpi_vb_create_pool(&wanted), other = hi_mpi_vb_create_pool(&wanted);
    for (int i = 0; i < 3; i++) {
        hi_vb_blk block = hi_mpi_vb_get_block(pool, 4096, NULL);
        printf("empty: %d\n", hi_mpi_vb_get_block(pool, 4096, NULL) == (hi_vb_blk)HI_VB_INVALID_HANDLE);
        MUST(hi_mpi_vb_block_copyref(block));
        MUST(aclrtMemset(hi_mpi_vb_handle_to_addr(block), 4096, i, 4096));
        MUST(hi_mpi_vb_release_block(block));
        MUST(aclrtMemset(hi_mpi_vb_handle_to_addr(block), 4096, i, 4096));
        MUST(hi_mpi_vb_release_block(block));
    }
    MUST(hi_mpi_vb_destroy_pool(pool));
    MUST(hi_mpi_vb_destroy_pool(other));
    MUST(hi_mpi_sys_exit());
    end();
    return 0;
}
