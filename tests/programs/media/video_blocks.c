// A fill leaves its block of a pool, a copy uses a released one, one is released twice, and one is passed to another release.
#include "../rt.h"

int main(void) {
    begin();
    MUST(hi_mpi_sys_init());
    hi_vb_pool_config wanted = {.blk_size = 4096, .blk_cnt = 3};
    hi_vb_pool pool = hi_mpi_vb_create_pool(&wanted);
    hi_vb_blk first = hi_mpi_vb_get_block(pool, 4000, NULL), second = hi_mpi_vb_get_block(pool, 4096, NULL);
    hi_vb_blk third = hi_mpi_vb_get_block(pool, 4096, NULL);
    char *one = hi_mpi_vb_handle_to_addr(first), *two = hi_mpi_vb_handle_to_addr(second);
    MUST(aclrtMemset(one, 5000, 0, 4200));
    MUST(hi_mpi_vb_release_block(second));
    MUST(aclrtMemcpy(one, 64, two, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
    printf("again: %d\n", hi_mpi_vb_release_block(second) == 0);
    printf("elsewhere: %d\n", aclrtFree(hi_mpi_vb_handle_to_addr(third)));
    MUST(hi_mpi_vb_release_block(third));
    MUST(hi_mpi_vb_release_block(first));
    MUST(hi_mpi_vb_destroy_pool(pool));
    MUST(hi_mpi_sys_exit());
    end();
    return 0;
}
