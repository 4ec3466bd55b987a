/* Stream-ordered memory and its pools. */
#include "../engine/pool.h"

#include "../engine/memory.h"
#include "../engine/work.h"
#include "queued.h"

static bool isUsable(CUmemoryPool pool)
{
    return handleAlive(HANDLE_POOL, pool);
}

static CUresult allocate(CUdeviceptr *address, size_t size, CUmemoryPool pool, bool has_pool, CUstream handle)
{
    CUcontext context;
    CUstream stream;
    CUresult code = enter(&context);
    code = code == CUDA_SUCCESS ? streamOf(context, handle, &stream) : code;
    if (code != CUDA_SUCCESS) {
        return leave(code);
    }
    if (!address || size == 0 || (has_pool && !isUsable(pool))) {
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    pool = has_pool ? pool : poolCurrent(stream->context->device);
    return leave(pool ? poolTake(pool, stream, size, address) : CUDA_ERROR_OUT_OF_MEMORY);
}

EXPORT CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream)
{
    return allocate(address, size, NULL, false, stream);
}

EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t size, CUmemoryPool pool, CUstream stream)
{
    return allocate(address, size, pool, true, stream);
}


static CUresult releaseBlock(struct work *work)
{
    pthread_mutex_lock(&driver_lock);
    struct region *region = regionStart(work->as.copy.dst);
    if (region && region->kind == REGION_DEVICE) {
        memoryEnd(region);
    }
    pthread_mutex_unlock(&driver_lock);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle)
{
    CUcontext context;
    CUstream stream;
    CUresult code = enter(&context);
    code = code == CUDA_SUCCESS ? streamOf(context, handle, &stream) : code;
    struct region *region = regionStart(address);
    const bool is_block = region && region->kind == REGION_DEVICE;
    if (code == CUDA_SUCCESS && (!region || (region->kind != REGION_POOLED && !is_block))) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code != CUDA_SUCCESS) {
        return leave(code);
    }
    /* Memory of cuMemAlloc goes back to the system once the stream is there, not to a pool. */
    struct work *work = is_block ? workNew(context, releaseBlock) : workNothing(context);
    if (work) {
        work->as.copy.dst = address;
    }
    code = submit(stream, work);
    if (code == CUDA_SUCCESS && !is_block) {
        CUmemoryPool pool = region->pool;
        memoryEnd(region);
        poolGive(pool, address, (struct point){stream, stream->submitted});
    }
    return leave(code);
}

EXPORT CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
    CUresult code = enterAnywhere();
    if (code == CUDA_SUCCESS && (!pool || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
                                 props->location.type != CU_MEM_LOCATION_TYPE_DEVICE)) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else if (code == CUDA_SUCCESS && (props->location.id < 0 || props->location.id >= deviceCount())) {
        code = CUDA_ERROR_INVALID_DEVICE;
    } else if (code == CUDA_SUCCESS && props->handleTypes != CU_MEM_HANDLE_TYPE_NONE) {
        code = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (code == CUDA_SUCCESS) {
        *pool = spaceOpen(props->location.id) ? poolNew(props->location.id, props->maxSize) : NULL;
        code = *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    return leave(code);
}

static CUresult enterPool(CUmemoryPool pool)
{
    CUresult code = enterAnywhere();
    return code == CUDA_SUCCESS && !isUsable(pool) ? CUDA_ERROR_INVALID_VALUE : code;
}

EXPORT CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    CUresult code = enterPool(pool);
    if (code == CUDA_SUCCESS && pool->is_default) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        poolEnd(pool);
    }
    return leave(code);
}

EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
    CUresult code = enterPool(pool);
    if (code == CUDA_SUCCESS) {
        poolTrim(pool, keep);
    }
    return leave(code);
}

EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    CUresult code = enterPool(pool);
    if (code == CUDA_SUCCESS && (!value || attribute < 1 || attribute > CU_MEMPOOL_ATTR_USED_MEM_HIGH)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code != CUDA_SUCCESS) {
        return leave(code);
    }
    const uint64_t numbers[] = {pool->threshold, pool->reserved, pool->reserved_high, pool->used, pool->used_high};
    if (attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
        *(int *)value = pool->reuse[attribute - 1];
    } else {
        *(uint64_t *)value = numbers[attribute - CU_MEMPOOL_ATTR_RELEASE_THRESHOLD];
    }
    return leave(CUDA_SUCCESS);
}

EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    CUresult code = enterPool(pool);
    if (code == CUDA_SUCCESS && !value) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code != CUDA_SUCCESS) {
        return leave(code);
    }
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        pool->reuse[attribute - 1] = *(const int *)value != 0;
        break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        pool->threshold = *(const uint64_t *)value;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: /* "a value of 0 resets it, others are illegal" */
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        code = *(const uint64_t *)value == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        if (code == CUDA_SUCCESS && attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH) {
            pool->used_high = pool->used;
        } else if (code == CUDA_SUCCESS) {
            pool->reserved_high = pool->reserved;
        }
        break;
    default:
        code = CUDA_ERROR_INVALID_VALUE;
    }
    return leave(code);
}

static CUresult poolOf(CUmemoryPool *pool, CUdevice device, CUmemoryPool (*find)(int device))
{
    CUresult code = enterAnywhere();
    if (code == CUDA_SUCCESS && (device < 0 || device >= deviceCount())) {
        code = CUDA_ERROR_INVALID_DEVICE;
    } else if (code == CUDA_SUCCESS && !pool) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *pool = spaceOpen(device) ? find(device) : NULL;
        code = *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    return leave(code);
}

EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    return poolOf(pool, device, poolDefault);
}

EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    return poolOf(pool, device, poolCurrent);
}

EXPORT CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    CUresult code = enterPool(pool);
    if (code == CUDA_SUCCESS && (device < 0 || device >= deviceCount())) {
        code = CUDA_ERROR_INVALID_DEVICE;
    } else if (code == CUDA_SUCCESS && pool->device != device) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        poolSetCurrent(device, pool);
    }
    return leave(code);
}

PER_THREAD(cuMemAllocAsync, (CUdeviceptr *address, size_t size, CUstream stream), address, size, stream)
PER_THREAD(cuMemAllocFromPoolAsync, (CUdeviceptr *address, size_t size, CUmemoryPool pool, CUstream stream), address, size,
           pool, stream)
PER_THREAD(cuMemFreeAsync, (CUdeviceptr address, CUstream stream), address, stream)
