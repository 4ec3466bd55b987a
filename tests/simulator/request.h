/* What every allocator of the acl layer does with a size and a configuration. */
#ifndef ACLSIM_REQUEST_H
#define ACLSIM_REQUEST_H

#include "engine.h"

/* Up to a multiple of 32, plus padding. False for 0, and for a size with which 32 and the padding overflow
 * (acl/aclrt_impl/memory.cpp, GetAlignedAndPaddingSize); the largest sizes that pass are the driver's to refuse. */
static inline bool roundedSize(size_t size, uint32_t padding, uint64_t *bytes)
{
    if (size == 0 || size > SIZE_MAX - 32 - padding) {
        return false;
    }
    *bytes = ((uint64_t)size + 31) / 32 * 32 + padding;
    return true;
}

/* The runtime's own rounding wraps: sizes within 31 bytes of the largest one become 0, which the driver refuses. */
static inline uint64_t wrappedSize(uint64_t size)
{
    return (size + 31) / 32 * 32;
}

/* A missing array: the acl layer refuses it with a count for device memory, and the runtime refuses it always. */
static inline aclError configShaped(const aclrtMallocConfig *cfg)
{
    if (!cfg || cfg->attrs) {
        return ACL_SUCCESS;
    }
    return cfg->numAttrs ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_PARAM_INVALID;
}

/* Device memory knows the module and the device, which must be the current one (api_impl.cc, ParseMallocCfg). */
static inline aclError configForDevice(const aclrtMallocConfig *cfg)
{
    int32_t current = -1;
    aclError code = rtGetDevice(&current);
    for (size_t i = 0; code == ACL_SUCCESS && cfg && i < cfg->numAttrs; i++) {
        const aclrtMallocAttribute *attribute = &cfg->attrs[i];
        bool elsewhere = attribute->attr == ACL_RT_MEM_ATTR_DEVICE_ID && attribute->value.deviceId != (uint32_t)current;
        bool known = attribute->attr == ACL_RT_MEM_ATTR_RSV || attribute->attr == ACL_RT_MEM_ATTR_MODULE_ID ||
                     attribute->attr == ACL_RT_MEM_ATTR_DEVICE_ID;
        code = known && !elsewhere ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
    }
    return code;
}

/* Pinned memory knows the module and unified addresses, and is asked before the context (GetMallocHostConfigInfo). */
static inline aclError configForHost(const aclrtMallocConfig *cfg)
{
    if (cfg && !cfg->attrs) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    for (size_t i = 0; cfg && i < cfg->numAttrs; i++) {
        aclrtMallocAttrType attr = cfg->attrs[i].attr;
        if (attr != ACL_RT_MEM_ATTR_MODULE_ID && attr != ACL_RT_MEM_ATTR_VA_FLAG) {
            return ACL_ERROR_RT_PARAM_INVALID;
        }
    }
    return ACL_SUCCESS;
}

#endif
