/* When a copy is done for the host, as "API synchronization behavior" has it. */
#include "copy.h"

#include <stdlib.h>
#include <string.h>

#include "../engine/memory.h"

/* From the first byte to behind the last one; false where that overflows. */
static bool extent(size_t width, size_t height, size_t depth, size_t pitch, size_t plane, size_t *size)
{
    size_t rows, planes;
    return !__builtin_mul_overflow(height - 1, pitch, &rows) && !__builtin_mul_overflow(depth - 1, plane, &planes) &&
           !__builtin_add_overflow(rows, planes, size) && !__builtin_add_overflow(*size, width, size);
}

static bool isValid(uintptr_t address, size_t size, enum side side)
{
    if (address == 0 || address + size < address) {
        return false;
    }
    if (isDeviceAddress(address)) {
        return side != SIDE_HOST && isDeviceRange(address, size);
    }
    if (isPageable(address)) {
        return side != SIDE_DEVICE;
    }
    return isDeviceRange(address, size);
}

/* Rows are packed, so that the program may change its own at once. */
static CUresult stage(struct copy *copy, void **bytes)
{
    struct copy packed = *copy;
    size_t size;
    if (__builtin_mul_overflow(copy->width, copy->height, &size) || __builtin_mul_overflow(size, copy->depth, &size)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *bytes = malloc(size);
    if (!*bytes) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++) {
            memcpy((char *)*bytes + (z * copy->height + y) * copy->width,
                   (const char *)copy->src + z * copy->src_plane + y * copy->src_pitch, copy->width);
        }
    }
    packed.src = (uintptr_t)*bytes;
    packed.src_pitch = copy->width;
    packed.src_plane = copy->width * copy->height;
    *copy = packed;
    return CUDA_SUCCESS;
}

static CUresult submitCopy(CUcontext context, CUstream stream, struct copy copy, bool is_async)
{
    const bool from_pageable = isPageable(copy.src);
    const bool on_device = isDeviceAddress(copy.dst) && isDeviceAddress(copy.src);
    const bool to_pageable = isPageable(copy.dst);
    const bool on_host = !isDeviceAddress(copy.dst) && !isDeviceAddress(copy.src);
    void *bytes = NULL;
    if (from_pageable && !on_host) { /* the stream is waited for, then the bytes are staged; the rest is the device's */
        CUresult code = waitForStream(stream);
        code = code == CUDA_SUCCESS ? stage(&copy, &bytes) : code;
        if (code != CUDA_SUCCESS) {
            return code;
        }
    }
    struct work *work = workCopy(context, &copy);
    if (!work) {
        free(bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    work->owned = bytes;
    CUresult code = submit(stream, work);
    const bool waits = on_host || to_pageable || (!is_async && !on_device && !from_pageable);
    return code == CUDA_SUCCESS && waits ? waitForPoint(context, (struct point){stream, stream->submitted}) : code;
}

CUresult copyBytes(const struct copy *copy, enum side dst, enum side src, CUstream handle, bool is_async)
{
    CUcontext context;
    CUstream stream;
    size_t to, from;
    CUresult code = enter(&context);
    code = code == CUDA_SUCCESS ? streamOf(context, handle, &stream) : code;
    if (code != CUDA_SUCCESS || copy->width == 0 || copy->height == 0 || copy->depth == 0) {
        return leave(code);
    }
    const bool has_extents = extent(copy->width, copy->height, copy->depth, copy->dst_pitch, copy->dst_plane, &to) &&
                             extent(copy->width, copy->height, copy->depth, copy->src_pitch, copy->src_plane, &from);
    if (!has_extents || !isValid(copy->dst, to, dst) || !isValid(copy->src, from, src)) {
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    return leave(submitCopy(context, stream, *copy, is_async));
}

CUresult copyFlat(uintptr_t dst, enum side to, uintptr_t src, enum side from, size_t size, CUstream stream, bool is_async)
{
    const struct copy copy = {.dst = dst, .src = src, .width = size, .height = 1, .depth = 1};
    return copyBytes(&copy, to, from, stream, is_async);
}

CUresult fillElements(const struct fill *fill, CUstream handle, bool is_async)
{
    CUcontext context;
    CUstream stream;
    size_t width, size;
    CUresult code = enter(&context);
    code = code == CUDA_SUCCESS ? streamOf(context, handle, &stream) : code;
    if (code != CUDA_SUCCESS || fill->width == 0 || fill->height == 0) {
        return leave(code);
    }
    const bool has_extent = !__builtin_mul_overflow(fill->width, (size_t)fill->element, &width) &&
                            extent(width, fill->height, 1, fill->pitch, 0, &size);
    if (!has_extent || fill->dst % fill->element || isPageable(fill->dst) || !isValid(fill->dst, size, SIDE_ANY) ||
        (fill->height > 1 && fill->pitch < width)) {
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    /* Of device memory it is asynchronous even without Async in its name. */
    const bool waits = !is_async && !isDeviceAddress(fill->dst);
    code = submit(stream, workFill(context, fill));
    if (code == CUDA_SUCCESS && waits) {
        code = waitForPoint(context, (struct point){stream, stream->submitted});
    }
    return leave(code);
}

static enum side sideOf(CUmemorytype type)
{
    return type == CU_MEMORYTYPE_HOST ? SIDE_HOST : type == CU_MEMORYTYPE_DEVICE ? SIDE_DEVICE : SIDE_ANY;
}

static bool isType(CUmemorytype type)
{
    return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED;
}

/* Arrays are not there: who names one is refused. */
CUresult copyDescribed3D(const CUDA_MEMCPY3D *of, CUstream stream, bool is_async)
{
    if (!of || !isType(of->srcMemoryType) || !isType(of->dstMemoryType) || of->srcLOD || of->dstLOD) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const bool has_rows = of->Height > 1 || of->Depth > 1;
    const size_t src_pitch = of->srcPitch ? of->srcPitch : of->WidthInBytes + of->srcXInBytes;
    const size_t dst_pitch = of->dstPitch ? of->dstPitch : of->WidthInBytes + of->dstXInBytes;
    if (has_rows && (src_pitch < of->WidthInBytes || dst_pitch < of->WidthInBytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const size_t src_plane = src_pitch * (of->srcHeight ? of->srcHeight : of->Height);
    const size_t dst_plane = dst_pitch * (of->dstHeight ? of->dstHeight : of->Height);
    const uintptr_t src = of->srcMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)of->srcHost : (uintptr_t)of->srcDevice;
    const uintptr_t dst = of->dstMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)of->dstHost : (uintptr_t)of->dstDevice;
    const struct copy copy = {
        .dst = dst + of->dstXInBytes + of->dstY * dst_pitch + of->dstZ * dst_plane,
        .src = src + of->srcXInBytes + of->srcY * src_pitch + of->srcZ * src_plane,
        .dst_pitch = dst_pitch, .src_pitch = src_pitch, .dst_plane = dst_plane, .src_plane = src_plane,
        .width = of->WidthInBytes, .height = of->Height, .depth = of->Depth};
    return copyBytes(&copy, sideOf(of->dstMemoryType), sideOf(of->srcMemoryType), stream, is_async);
}

CUresult copyDescribed2D(const CUDA_MEMCPY2D *of, CUstream stream, bool is_async)
{
    if (!of) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const CUDA_MEMCPY3D wide = {
        .srcXInBytes = of->srcXInBytes, .srcY = of->srcY, .srcMemoryType = of->srcMemoryType, .srcHost = of->srcHost,
        .srcDevice = of->srcDevice, .srcPitch = of->srcPitch, .dstXInBytes = of->dstXInBytes, .dstY = of->dstY,
        .dstMemoryType = of->dstMemoryType, .dstHost = of->dstHost, .dstDevice = of->dstDevice,
        .dstPitch = of->dstPitch, .WidthInBytes = of->WidthInBytes, .Height = of->Height, .Depth = 1};
    return copyDescribed3D(&wide, stream, is_async);
}
