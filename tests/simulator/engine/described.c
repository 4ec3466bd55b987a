/* Copies whose addresses are read on the device when they run. */
#include <stdlib.h>
#include <string.h>

#include "stream.h"
#include "virtual.h"

#define DESCRIPTOR_ALIGNMENT 64u
#define MOST_BYTES 0xFFFFFFFFull /* of one copy on the device */

/* The content of the caller's 64 bytes; the layout is ours. */
struct descriptor {
    uint64_t src, dst, count;
};

static bool isDevice(const void *address, uint32_t *device)
{
    aclrtPtrAttributes attributes;
    (void)rtsPointerGetAttributes(address, &attributes);
    *device = attributes.location.id;
    return attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE;
}

static bool readBytes(void *to, const void *address, uint64_t size)
{
    uint64_t reach;
    const void *from = aclsimView(address, size, &reach);
    if (reach == size) {
        memcpy(to, from, size);
    }
    return reach == size;
}

static bool isKnown(uint64_t address)
{
    return heapOf(address) || virtualHolds(address);
}

static aclError copyOnDevice(uint64_t dst, uint64_t src, uint64_t count)
{
    uint64_t to_reach, from_reach;
    if (!isKnown(dst) || !isKnown(src)) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR; /* the device knows no other addresses */
    }
    void *to = aclsimView((void *)dst, count, &to_reach);
    const void *from = aclsimView((void *)src, count, &from_reach);
    uint64_t reach = to_reach < from_reach ? to_reach : from_reach;
    memmove(to, from, reach);
    return reach == count ? ACL_SUCCESS : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

aclError rtsGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *size)
{
    if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    *size = DESCRIPTOR_ALIGNMENT;
    return ACL_SUCCESS;
}

aclError rtsSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *src, void *dst, size_t count)
{
    uint32_t at, from, to;
    if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    if (count > MOST_BYTES || (uintptr_t)desc % DESCRIPTOR_ALIGNMENT != 0 || !isDevice(desc, &at) ||
        !isDevice(src, &from) || !isDevice(dst, &to) || from != to) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    struct descriptor written = {(uintptr_t)src, (uintptr_t)dst, count};
    return rtMemcpy(desc, sizeof written, &written, sizeof written, ACL_MEMCPY_HOST_TO_DEVICE);
}

static aclError runDescribed(void *argument)
{
    struct descriptor descriptor;
    if (!readBytes(&descriptor, argument, sizeof descriptor)) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    return copyOnDevice(descriptor.dst, descriptor.src, descriptor.count);
}

aclError rtsMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream)
{
    uint32_t device;
    if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    if (!isDevice(desc, &device) || (uintptr_t)desc % DESCRIPTOR_ALIGNMENT != 0) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return aclsimEnqueue(stream, runDescribed, NULL, desc);
}

struct indirect {
    const void *dst, *src;
    uint64_t dst_offset, src_offset, count;
};

static aclError runIndirect(void *argument)
{
    struct indirect *indirect = argument;
    uint64_t dst, src;
    if (!readBytes(&dst, indirect->dst, sizeof dst) || !readBytes(&src, indirect->src, sizeof src)) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    return copyOnDevice(dst + indirect->dst_offset, src + indirect->src_offset, indirect->count);
}

aclError rtMemcpyAsyncWithOffset(void **dst, uint64_t dest_max, uint64_t dst_offset, const void **src, uint64_t count,
                                 uint64_t src_offset, aclrtMemcpyKind kind, aclrtStream stream)
{
    if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    struct indirect *indirect = dst && src && count <= dest_max ? malloc(sizeof *indirect) : NULL;
    if (!indirect) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    *indirect = (struct indirect){dst, src, dst_offset, src_offset, count};
    return aclsimEnqueue(stream, runIndirect, free, indirect);
}
