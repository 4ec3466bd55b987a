/* Copies and sets: the checks of the acl layer. The order matters, because a count of
 * 0 succeeds before anything else is looked at. */
#include "../public.h"

/* The kinds within a device and between two are for descriptors and batches alone (memory.cpp, MemcpyKindTranslate). */
static bool isKind(aclrtMemcpyKind kind)
{
    return (int)kind >= ACL_MEMCPY_HOST_TO_HOST && kind <= ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    ENTER();
    if (count == 0) {
        return ACL_SUCCESS;
    }
    REQUIRE(dst && src && isKind(kind), ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemcpy(dst, destMax, src, count, kind));
}

static aclError copyAsync(void *dst, size_t max, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)
{
    if (count == 0) {
        return ACL_SUCCESS;
    }
    if (!dst || !src || !isKind(kind)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    return rtMemcpyAsync(dst, max, src, count, kind, stream);
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream)
{
    ENTER();
    ANSWER(copyAsync(dst, destMax, src, count, kind, stream));
}

aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                                       aclrtStream stream)
{
    ENTER();
    ANSWER(copyAsync(dst, destMax, src, count, kind, stream));
}

static aclError check2d(const void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                        aclrtMemcpyKind kind)
{
    bool directed = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_HOST ||
                    kind == ACL_MEMCPY_DEVICE_TO_DEVICE || kind == ACL_MEMCPY_DEFAULT;
    return dst && src && width <= spitch && width <= dpitch && directed ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind)
{
    ENTER();
    if (width == 0 || height == 0) {
        return ACL_SUCCESS;
    }
    aclError code = check2d(dst, dpitch, src, spitch, width, kind);
    ANSWER(code == ACL_SUCCESS ? rtMemcpy2d(dst, dpitch, src, spitch, width, height, kind) : code);
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream)
{
    ENTER();
    if (width == 0 || height == 0) {
        return ACL_SUCCESS;
    }
    aclError code = check2d(dst, dpitch, src, spitch, width, kind);
    ANSWER(code == ACL_SUCCESS ? rtMemcpy2dAsync(dst, dpitch, src, spitch, width, height, kind, stream) : code);
}

/* Both forms refuse a count above `maxCount`: the driver for the synchronous one, the runtime for the other. */
aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    ENTER();
    if (count == 0) {
        return ACL_SUCCESS;
    }
    REQUIRE(devPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemset(devPtr, maxCount, (uint32_t)value, count));
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)
{
    ENTER();
    if (count == 0) {
        return ACL_SUCCESS;
    }
    REQUIRE(devPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemsetAsync(devPtr, maxCount, (uint32_t)value, count, stream));
}

/* Only memory that AscendCL gave out. */
static aclError checkWords(const void *pointer, size_t size, size_t words)
{
    aclrtPtrAttributes attributes;
    if (!pointer || (uintptr_t)pointer % sizeof(uint32_t) != 0 || words > SIZE_MAX / sizeof(uint32_t) ||
        size < words * sizeof(uint32_t)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    aclError code = rtsPointerGetAttributes(pointer, &attributes);
    aclrtMemLocationType type = attributes.location.type;
    bool ours = type == ACL_MEM_LOCATION_TYPE_HOST || type == ACL_MEM_LOCATION_TYPE_DEVICE;
    return code == ACL_SUCCESS && !ours ? ACL_ERROR_INVALID_PARAM : code;
}

aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N)
{
    ENTER();
    if (N == 0) {
        return ACL_SUCCESS;
    }
    aclError code = checkWords(ptr, memSize, N);
    ANSWER(code == ACL_SUCCESS ? rtMemsetD32(ptr, memSize, value, N) : code);
}

aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream)
{
    ENTER();
    if (N == 0) {
        return ACL_SUCCESS;
    }
    aclError code = checkWords(ptr, memSize, N);
    ANSWER(code == ACL_SUCCESS ? rtMemsetD32Async(ptr, memSize, value, N, stream) : code);
}
