/* Device, pinned, registered and managed memory, and questions about addresses. */
#include "../engine/memory.h"

#include "../engine/pool.h"

static CUresult allocate(CUcontext context, int space, enum region_kind kind, CUdeviceptr *address, size_t size,
                         unsigned flags)
{
    if (!address || size == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const struct region *region = memoryNew(context, space, kind, size, flags);
    if (!region) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *address = region->base;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size)
{
    CUcontext context;
    CUresult code = enter(&context);
    return leave(code != CUDA_SUCCESS ? code : allocate(context, context->device, REGION_DEVICE, address, size, 0));
}

EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned int element)
{
    CUcontext context;
    CUresult code = enter(&context);
    const bool is_element = element == 4 || element == 8 || element == 16;
    if (code == CUDA_SUCCESS && (!pitch || !is_element || width == 0 || height == 0)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    const size_t row = (width + BLOCK_GRANULE - 1) & ~(size_t)(BLOCK_GRANULE - 1);
    if (code == CUDA_SUCCESS && (row < width || row > SIZE_MAX / height)) {
        code = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (code == CUDA_SUCCESS) {
        code = allocate(context, context->device, REGION_DEVICE, address, row * height, 0);
    }
    if (code == CUDA_SUCCESS) {
        *pitch = row;
    }
    return leave(code);
}

EXPORT CUresult cuMemAllocManaged(CUdeviceptr *address, size_t size, unsigned int flags)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS && flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    return leave(code != CUDA_SUCCESS ? code : allocate(context, SPACE_MANAGED, REGION_MANAGED, address, size, flags));
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr address)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code != CUDA_SUCCESS || address == 0) { /* "no operation is performed" for NULL, as with cudaFree */
        return leave(code);
    }
    const struct region *region = regionStart(address);
    if (!region || region->kind == REGION_PINNED || region->kind == REGION_REGISTERED) {
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    waitForDevice(region->device);
    struct region *left = regionStart(address); /* another thread may have been faster */
    if (!left) {
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    CUmemoryPool pool = left->kind == REGION_POOLED ? left->pool : NULL;
    const int device = left->device;
    memoryEnd(left);
    if (pool) {
        poolGive(pool, address, (struct point){0});
        poolsObserve(device);
    }
    return leave(CUDA_SUCCESS);
}

static CUresult allocateHost(void **pointer, size_t size, unsigned flags)
{
    CUcontext context;
    CUdeviceptr address = 0;
    CUresult code = enter(&context);
    const unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (code == CUDA_SUCCESS && (!pointer || (flags & ~known))) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        code = allocate(context, SPACE_PINNED, REGION_PINNED, &address, size, flags);
    }
    if (code == CUDA_SUCCESS) {
        *pointer = (void *)(uintptr_t)address;
    }
    return leave(code);
}

EXPORT CUresult cuMemHostAlloc(void **pointer, size_t size, unsigned int flags)
{
    return allocateHost(pointer, size, flags);
}

EXPORT CUresult cuMemAllocHost_v2(void **pointer, size_t size)
{
    return allocateHost(pointer, size, 0);
}

static CUresult endHost(void *pointer, enum region_kind kind, CUresult otherwise)
{
    CUcontext context;
    CUresult code = enter(&context);
    const struct region *region = regionStart((uintptr_t)pointer);
    if (code == CUDA_SUCCESS && (!region || region->kind != kind)) {
        code = otherwise;
    }
    if (code == CUDA_SUCCESS) {
        waitForDevice(region->device);
        struct region *left = regionStart((uintptr_t)pointer);
        code = left && left->kind == kind ? CUDA_SUCCESS : otherwise;
        if (code == CUDA_SUCCESS) {
            memoryEnd(left);
        }
    }
    return leave(code);
}

EXPORT CUresult cuMemFreeHost(void *pointer)
{
    return endHost(pointer, REGION_PINNED, CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuMemHostRegister_v2(void *pointer, size_t size, unsigned int flags)
{
    CUcontext context;
    CUresult code = enter(&context);
    const uintptr_t start = (uintptr_t)pointer;
    if (code == CUDA_SUCCESS && (!pointer || size == 0 || start + size < start || (flags & ~0xfu))) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else if (code == CUDA_SUCCESS && regionsOverlap(start, size)) {
        code = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    } else if (code == CUDA_SUCCESS && !regionAdd(&(struct region){
                   .base = start, .size = size, .alias = pointer, .kind = REGION_REGISTERED, .context = context,
                   .device = context->device, .flags = flags})) {
        code = CUDA_ERROR_OUT_OF_MEMORY;
    }
    return leave(code);
}

EXPORT CUresult cuMemHostUnregister(void *pointer)
{
    return endHost(pointer, REGION_REGISTERED, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *pointer, unsigned int flags)
{
    CUcontext context;
    CUresult code = enter(&context);
    const struct region *region = regionFind((uintptr_t)pointer);
    const bool is_host = region && (region->kind == REGION_PINNED || region->kind == REGION_REGISTERED);
    if (code == CUDA_SUCCESS && (!address || flags != 0 || !is_host)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *address = (uintptr_t)pointer;
    }
    return leave(code);
}

EXPORT CUresult cuMemHostGetFlags(unsigned int *flags, void *pointer)
{
    CUcontext context;
    CUresult code = enter(&context);
    const struct region *region = regionFind((uintptr_t)pointer);
    if (code == CUDA_SUCCESS && (!flags || !region || region->kind != REGION_PINNED)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *flags = region->flags;
    }
    return leave(code);
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
    CUcontext context;
    CUresult code = enter(&context);
    const struct region *region = regionFind(address);
    if (code == CUDA_SUCCESS && !region) {
        code = CUDA_ERROR_NOT_FOUND;
    }
    if (code == CUDA_SUCCESS && base) {
        *base = region->base;
    }
    if (code == CUDA_SUCCESS && size) {
        *size = region->size;
    }
    return leave(code);
}

static CUresult answer(const struct region *region, CUpointer_attribute attribute, CUdeviceptr address, void *result)
{
    const bool is_host = region->kind == REGION_PINNED || region->kind == REGION_REGISTERED;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)result = region->context;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)result = is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)result = address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)result = (void *)(uintptr_t)address;
        return is_host || region->kind == REGION_MANAGED ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(uint64_t *)result = region->id;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)result = region->kind == REGION_MANAGED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)result = region->device;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)result = region->base;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)result = region->size;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)result = 1;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(CUmemoryPool *)result = region->pool;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

EXPORT CUresult cuPointerGetAttribute(void *result, CUpointer_attribute attribute, CUdeviceptr address)
{
    CUcontext context;
    CUresult code = enter(&context);
    const struct region *region = regionFind(address);
    if (code == CUDA_SUCCESS) {
        code = result && region ? answer(region, attribute, address, result) : CUDA_ERROR_INVALID_VALUE;
    }
    return leave(code);
}
