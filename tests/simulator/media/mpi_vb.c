/* hi_mpi_vb_*: pools of equal blocks in one piece of media memory. */
#include <pthread.h>
#include <stdlib.h>

#include "../request.h"
#include "mpi.h"

#define ERROR(code) HI_DEFINE_ERR(HI_ID_VB, HI_ERR_LEVEL_ERROR, (code))

enum { POOLS = 64, BLOCKS = 1024, ALIGN = 128 };

struct pool {
    char *memory; /* NULL: no pool */
    hi_u64 stride, size;
    hi_u32 count;
    hi_u32 users[BLOCKS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool pools[POOLS];

/* A handle is the pool's number and the block's. */
static hi_u32 *usersOf(hi_vb_blk block, struct pool **pool)
{
    hi_u32 at = block / BLOCKS;
    if (at >= POOLS || pools[at].memory == NULL || block % BLOCKS >= pools[at].count) {
        return NULL;
    }
    *pool = &pools[at];
    hi_u32 *users = &pools[at].users[block % BLOCKS];
    return *users == 0 ? NULL : users;
}

static hi_vb_pool makePool(const hi_vb_pool_config *wanted)
{
    hi_vb_pool at = 0;
    while (at < POOLS && pools[at].memory != NULL) {
        at++;
    }
    bool is_sane = wanted != NULL && wanted->blk_size > 0 && wanted->blk_cnt > 0 && wanted->blk_cnt <= BLOCKS &&
                   wanted->blk_size <= UINT64_MAX / BLOCKS / 2;
    if (at == POOLS || !is_sane) {
        return (hi_vb_pool)HI_VB_INVALID_POOLID;
    }
    void *memory = NULL;
    hi_u64 stride = ALIGN_UP(wanted->blk_size, ALIGN);
    if (rtDvppMalloc(&memory, stride * wanted->blk_cnt, 0) != ACL_SUCCESS) {
        return (hi_vb_pool)HI_VB_INVALID_POOLID;
    }
    pools[at] = (struct pool){.memory = memory, .stride = stride, .size = wanted->blk_size, .count = wanted->blk_cnt};
    return at;
}

hi_vb_pool hi_mpi_vb_create_pool(const hi_vb_pool_config *vb_pool_cfg)
{
    if (aclsimInjected(__func__) != ACL_SUCCESS) {
        return (hi_vb_pool)HI_VB_INVALID_POOLID;
    }
    pthread_mutex_lock(&lock);
    hi_vb_pool made = makePool(vb_pool_cfg);
    pthread_mutex_unlock(&lock);
    return made;
}

static hi_s32 endPool(hi_vb_pool pool)
{
    if (pool >= POOLS || pools[pool].memory == NULL) {
        return ERROR(HI_ERR_UNEXIST);
    }
    for (hi_u32 i = 0; i < pools[pool].count; i++) {
        if (pools[pool].users[i] > 0) {
            return ERROR(HI_ERR_BUSY);
        }
    }
    (void)rtDvppFree(pools[pool].memory);
    pools[pool].memory = NULL;
    return HI_SUCCESS;
}

hi_s32 hi_mpi_vb_destroy_pool(hi_vb_pool pool)
{
    ENTER_MPI();
    pthread_mutex_lock(&lock);
    hi_s32 status = endPool(pool);
    pthread_mutex_unlock(&lock);
    return status;
}

static hi_vb_blk takeBlock(hi_vb_pool pool, hi_u64 size)
{
    if (pool >= POOLS || pools[pool].memory == NULL || size == 0 || size > pools[pool].size) {
        return (hi_vb_blk)HI_VB_INVALID_HANDLE;
    }
    for (hi_u32 i = 0; i < pools[pool].count; i++) {
        if (pools[pool].users[i] == 0) {
            pools[pool].users[i] = 1;
            return pool * BLOCKS + i;
        }
    }
    return (hi_vb_blk)HI_VB_INVALID_HANDLE;
}

hi_vb_blk hi_mpi_vb_get_block(hi_vb_pool pool, hi_u64 blk_size, const hi_char *mmz_name)
{
    (void)mmz_name;
    if (aclsimInjected(__func__) != ACL_SUCCESS) {
        return (hi_vb_blk)HI_VB_INVALID_HANDLE;
    }
    pthread_mutex_lock(&lock);
    hi_vb_blk taken = takeBlock(pool, blk_size);
    pthread_mutex_unlock(&lock);
    return taken;
}

static hi_s32 changeUsers(hi_vb_blk block, int by)
{
    struct pool *pool;
    pthread_mutex_lock(&lock);
    hi_u32 *users = usersOf(block, &pool);
    if (users != NULL) {
        *users += (hi_u32)by;
    }
    pthread_mutex_unlock(&lock);
    return users == NULL ? ERROR(HI_ERR_ILLEGAL_PARAM) : HI_SUCCESS;
}

hi_s32 hi_mpi_vb_release_block(hi_vb_blk vb_blk)
{
    ENTER_MPI();
    return changeUsers(vb_blk, -1);
}

hi_s32 hi_mpi_vb_block_copyref(hi_vb_blk vb_blk)
{
    ENTER_MPI();
    return changeUsers(vb_blk, 1);
}

hi_void *hi_mpi_vb_handle_to_addr(hi_vb_blk vb_blk)
{
    struct pool *pool;
    pthread_mutex_lock(&lock);
    hi_u32 *users = usersOf(vb_blk, &pool);
    char *address = users == NULL ? NULL : pool->memory + pool->stride * (vb_blk % BLOCKS);
    pthread_mutex_unlock(&lock);
    return address;
}
