//@ run
//@ link: acl_dvpp_mpi
/* Pools of the second media interface: equal blocks of media memory, counted by their users. */
#include "acl/dvpp/hi_dvpp.h"
#include "expect.h"

#define VB "hi_dvpp_vb.h, CANN 8.1"

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    hi_vb_pool_config wanted = {.blk_size = 5000, .blk_cnt = 2};
    EXPECT(VB, hi_mpi_vb_create_pool(NULL) == (hi_vb_pool)HI_VB_INVALID_POOLID);
    hi_vb_pool pool = hi_mpi_vb_create_pool(&wanted);
    EXPECT(VB, pool != (hi_vb_pool)HI_VB_INVALID_POOLID);
    EXPECT("the pool is one block of media memory", aclsimLiveBlocks(0) == 1);
    EXPECT(VB, hi_mpi_vb_get_block(pool, 5001, NULL) == (hi_vb_blk)HI_VB_INVALID_HANDLE);
    EXPECT(VB, hi_mpi_vb_get_block(pool + 1, 100, NULL) == (hi_vb_blk)HI_VB_INVALID_HANDLE);
    hi_vb_blk first = hi_mpi_vb_get_block(pool, 5000, NULL), second = hi_mpi_vb_get_block(pool, 1, "any");
    EXPECT(VB, first != second && hi_mpi_vb_get_block(pool, 1, NULL) == (hi_vb_blk)HI_VB_INVALID_HANDLE);
    char *one = hi_mpi_vb_handle_to_addr(first), *two = hi_mpi_vb_handle_to_addr(second);
    EXPECT("3.11: starts at 128", (uintptr_t)one % 128 == 0 && (uintptr_t)two % 128 == 0 && two - one >= 5000);
    OK(aclrtMemset(two, 5000, 1, 5000));
    EXPECT("busy", hi_mpi_vb_destroy_pool(pool) != HI_SUCCESS);
    EXPECT_CODE(VB, HI_SUCCESS, hi_mpi_vb_block_copyref(first));
    EXPECT_CODE(VB, HI_SUCCESS, hi_mpi_vb_release_block(first));
    EXPECT("one user left", hi_mpi_vb_handle_to_addr(first) == one);
    EXPECT_CODE(VB, HI_SUCCESS, hi_mpi_vb_release_block(first));
    EXPECT("released twice", hi_mpi_vb_release_block(first) != HI_SUCCESS);
    EXPECT("stale", hi_mpi_vb_handle_to_addr(first) == NULL && hi_mpi_vb_block_copyref(first) != HI_SUCCESS);
    EXPECT("handed out again", hi_mpi_vb_handle_to_addr(hi_mpi_vb_get_block(pool, 1, NULL)) == one);
    EXPECT_CODE(VB, HI_SUCCESS, hi_mpi_vb_release_block(first));
    EXPECT_CODE(VB, HI_SUCCESS, hi_mpi_vb_release_block(second));
    EXPECT_CODE(VB, HI_SUCCESS, hi_mpi_vb_destroy_pool(pool));
    EXPECT("destroyed twice", hi_mpi_vb_destroy_pool(pool) != HI_SUCCESS);
    EXPECT("nothing is left", aclsimLiveBlocks(0) == 0);
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
