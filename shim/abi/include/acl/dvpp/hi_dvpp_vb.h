/* Media processing, second interface: pools of equal video blocks. */
#ifndef ACLSAN_HI_DVPP_VB_H
#define ACLSAN_HI_DVPP_VB_H

#include "hi_dvpp_type.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HI_MAX_MMZ_NAME_LEN 32
#define HI_VB_INVALID_POOLID (-1)
#define HI_VB_INVALID_HANDLE (-1)

typedef hi_u32 hi_vb_pool;
typedef hi_u32 hi_vb_blk;

typedef enum {
    VB_REMAP_MODE_NONE = 0,
    VB_REMAP_MODE_NOCACHE = 1,
    VB_REMAP_MODE_CACHED = 2,
} hi_vb_remap_mode;

typedef struct {
    hi_u64 blk_size;
    hi_u32 blk_cnt;
    hi_vb_remap_mode remap_mode;
    hi_char mmz_name[HI_MAX_MMZ_NAME_LEN];
} hi_vb_pool_config;

/* Allocates all of the pool's memory at once; HI_VB_INVALID_POOLID on failure. */
hi_vb_pool hi_mpi_vb_create_pool(const hi_vb_pool_config *vb_pool_cfg);
hi_s32 hi_mpi_vb_destroy_pool(hi_vb_pool pool);

/* The handle of a block of at least `blk_size` bytes; HI_VB_INVALID_HANDLE if none is free. */
hi_vb_blk hi_mpi_vb_get_block(hi_vb_pool pool, hi_u64 blk_size, const hi_char *mmz_name);
/* Drops one user; the last one returns the block to its pool. */
hi_s32 hi_mpi_vb_release_block(hi_vb_blk vb_blk);
hi_void *hi_mpi_vb_handle_to_addr(hi_vb_blk vb_blk);
/* Adds a user. */
hi_s32 hi_mpi_vb_block_copyref(hi_vb_blk vb_blk);

#ifdef __cplusplus
}
#endif

#endif
