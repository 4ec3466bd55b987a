/* The names of copies and fills: each for the legacy stream and for the thread's own. */
#include "copy.h"

/* A blocking name and its `_ptds` form, which is work of the thread's own stream. */
#define BLOCKING(name, parameters, call) \
    EXPORT CUresult name parameters \
    { \
        const CUstream stream = CU_STREAM_LEGACY; \
        const bool is_async = false; \
        return call; \
    } \
    EXPORT CUresult name##_ptds parameters \
    { \
        const CUstream stream = CU_STREAM_PER_THREAD; \
        const bool is_async = false; \
        return call; \
    }

/* An asynchronous name and its `_ptsz` form, for which stream 0 is the thread's own. */
#define QUEUED(name, parameters, call) \
    EXPORT CUresult name parameters \
    { \
        const bool is_async = true; \
        return call; \
    } \
    EXPORT CUresult name##_ptsz parameters \
    { \
        const bool is_async = true; \
        stream = stream ? stream : CU_STREAM_PER_THREAD; \
        return call; \
    }

#define TO_DEVICE CUdeviceptr dst, const void *src, size_t size
#define TO_HOST void *dst, CUdeviceptr src, size_t size
#define ON_DEVICE CUdeviceptr dst, CUdeviceptr src, size_t size

BLOCKING(cuMemcpy, (ON_DEVICE), copyFlat(dst, SIDE_ANY, src, SIDE_ANY, size, stream, is_async))
QUEUED(cuMemcpyAsync, (ON_DEVICE, CUstream stream), copyFlat(dst, SIDE_ANY, src, SIDE_ANY, size, stream, is_async))
BLOCKING(cuMemcpyHtoD_v2, (TO_DEVICE), copyFlat(dst, SIDE_DEVICE, (uintptr_t)src, SIDE_HOST, size, stream, is_async))
QUEUED(cuMemcpyHtoDAsync_v2, (TO_DEVICE, CUstream stream),
       copyFlat(dst, SIDE_DEVICE, (uintptr_t)src, SIDE_HOST, size, stream, is_async))
BLOCKING(cuMemcpyDtoH_v2, (TO_HOST), copyFlat((uintptr_t)dst, SIDE_HOST, src, SIDE_DEVICE, size, stream, is_async))
QUEUED(cuMemcpyDtoHAsync_v2, (TO_HOST, CUstream stream),
       copyFlat((uintptr_t)dst, SIDE_HOST, src, SIDE_DEVICE, size, stream, is_async))
BLOCKING(cuMemcpyDtoD_v2, (ON_DEVICE), copyFlat(dst, SIDE_DEVICE, src, SIDE_DEVICE, size, stream, is_async))
QUEUED(cuMemcpyDtoDAsync_v2, (ON_DEVICE, CUstream stream),
       copyFlat(dst, SIDE_DEVICE, src, SIDE_DEVICE, size, stream, is_async))
BLOCKING(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *copy), copyDescribed2D(copy, stream, is_async))
BLOCKING(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *copy), copyDescribed2D(copy, stream, is_async))
QUEUED(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream), copyDescribed2D(copy, stream, is_async))
BLOCKING(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *copy), copyDescribed3D(copy, stream, is_async))
QUEUED(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *copy, CUstream stream), copyDescribed3D(copy, stream, is_async))

static CUresult fill(CUdeviceptr dst, unsigned value, unsigned element, size_t pitch, size_t width, size_t height,
                     CUstream stream, bool is_async)
{
    const struct fill wanted = {dst, pitch, value, element, width, height};
    return fillElements(&wanted, stream, is_async);
}

#define ROW(type) CUdeviceptr dst, type value, size_t count
#define ROWS(type) CUdeviceptr dst, size_t pitch, type value, size_t width, size_t height
#define FILL_ROW(bytes) fill(dst, value, bytes, 0, count, 1, stream, is_async)
#define FILL_ROWS(bytes) fill(dst, value, bytes, pitch, width, height, stream, is_async)

BLOCKING(cuMemsetD8_v2, (ROW(unsigned char)), FILL_ROW(1))
BLOCKING(cuMemsetD16_v2, (ROW(unsigned short)), FILL_ROW(2))
BLOCKING(cuMemsetD32_v2, (ROW(unsigned int)), FILL_ROW(4))
BLOCKING(cuMemsetD2D8_v2, (ROWS(unsigned char)), FILL_ROWS(1))
BLOCKING(cuMemsetD2D16_v2, (ROWS(unsigned short)), FILL_ROWS(2))
BLOCKING(cuMemsetD2D32_v2, (ROWS(unsigned int)), FILL_ROWS(4))
QUEUED(cuMemsetD8Async, (ROW(unsigned char), CUstream stream), FILL_ROW(1))
QUEUED(cuMemsetD16Async, (ROW(unsigned short), CUstream stream), FILL_ROW(2))
QUEUED(cuMemsetD32Async, (ROW(unsigned int), CUstream stream), FILL_ROW(4))
QUEUED(cuMemsetD2D8Async, (ROWS(unsigned char), CUstream stream), FILL_ROWS(1))
QUEUED(cuMemsetD2D16Async, (ROWS(unsigned short), CUstream stream), FILL_ROWS(2))
QUEUED(cuMemsetD2D32Async, (ROWS(unsigned int), CUstream stream), FILL_ROWS(4))
