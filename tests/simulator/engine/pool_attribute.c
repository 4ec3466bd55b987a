/* Attributes of pools. */
#include "pool.h"

static aclError setAttribute(struct pool *pool, aclrtMemPoolAttr attribute, const void *value)
{
    switch (attribute) {
    case ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES:
        pool->follow_events = *(const uint32_t *)value != 0;
        return ACL_SUCCESS;
    case ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC:
        pool->opportunistic = *(const uint32_t *)value != 0;
        return ACL_SUCCESS;
    case ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        pool->internal = *(const uint32_t *)value != 0;
        return ACL_SUCCESS;
    case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
        if (*(const uint64_t *)value > pool->most) {
            return ACL_ERROR_RT_INTERNAL_ERROR;
        }
        pool->threshold = *(const uint64_t *)value;
        return ACL_SUCCESS;
    case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
    case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
        if (*(const uint64_t *)value != 0) {
            return ACL_ERROR_RT_INTERNAL_ERROR;
        }
        *(attribute == ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH ? &pool->used_high : &pool->reserved_high) = 0;
        return ACL_SUCCESS;
    case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
    case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
        return ACL_ERROR_RT_PARAM_INVALID;
    default:
        return ACL_ERROR_RT_INTERNAL_ERROR;
    }
}

aclError rtMemPoolSetAttr(aclrtMemPool handle, aclrtMemPoolAttr attribute, const void *value)
{
    pthread_mutex_lock(&pools_lock);
    struct pool *pool = poolOf(handle);
    aclError code = pool && value ? setAttribute(pool, attribute, value) : ACL_ERROR_RT_PARAM_INVALID;
    pthread_mutex_unlock(&pools_lock);
    return code;
}

static aclError getAttribute(const struct pool *pool, aclrtMemPoolAttr attribute, void *value)
{
    const uint32_t words[] = {pool->follow_events, pool->opportunistic, pool->internal};
    const uint64_t longs[] = {pool->threshold, pool->reserved, pool->reserved_high, pool->used, pool->used_high};
    if (attribute >= ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
        attribute <= ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES) {
        *(uint32_t *)value = words[attribute - ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES];
        return ACL_SUCCESS;
    }
    if (attribute >= ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD && attribute <= ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH) {
        *(uint64_t *)value = longs[attribute - ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD];
        return ACL_SUCCESS;
    }
    return ACL_ERROR_RT_INTERNAL_ERROR;
}

aclError rtMemPoolGetAttr(aclrtMemPool handle, aclrtMemPoolAttr attribute, void *value)
{
    pthread_mutex_lock(&pools_lock);
    const struct pool *pool = poolOf(handle);
    aclError code = pool && value ? getAttribute(pool, attribute, value) : ACL_ERROR_RT_PARAM_INVALID;
    pthread_mutex_unlock(&pools_lock);
    return code;
}
