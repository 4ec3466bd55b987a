/* What every allocator of the acl layer does with a size and a configuration. */
#ifndef ACLSIM_REQUEST_H
#define ACLSIM_REQUEST_H

#include "engine.h"

/* Up to a multiple of 32, plus padding. False for 0 and for a size that overflows. */
static inline bool roundedSize(size_t size, uint32_t padding, uint64_t *bytes)
{
    if (size == 0 || size > SIZE_MAX - 31 - padding) {
        return false;
    }
    *bytes = ((uint64_t)size + 31) / 32 * 32 + padding;
    return true;
}

/* The two layers disagree about a configuration without attributes: the acl layer
 * refuses a count without an array, the runtime refuses any missing array. */
static inline aclError configAccepted(const aclrtMallocConfig *cfg)
{
    if (!cfg) {
        return ACL_SUCCESS;
    }
    if (!cfg->attrs) {
        return cfg->numAttrs ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_PARAM_INVALID;
    }
    int32_t current = -1;
    (void)rtGetDevice(&current);
    for (size_t i = 0; i < cfg->numAttrs; i++) {
        const aclrtMallocAttribute *attribute = &cfg->attrs[i];
        if (attribute->attr == ACL_RT_MEM_ATTR_DEVICE_ID && current >= 0 &&
            attribute->value.deviceId != (uint32_t)current) {
            return ACL_ERROR_RT_PARAM_INVALID;
        }
    }
    return ACL_SUCCESS;
}

#endif
