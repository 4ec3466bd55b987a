/* Described copies and symbols: the checks of the acl layer. */
#include "../public.h"

static bool isKind(aclrtMemcpyKind kind)
{
    return (int)kind >= ACL_MEMCPY_HOST_TO_HOST && kind <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE;
}

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize)
{
    ENTER();
    REQUIRE(descSize && isKind(kind), ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsGetMemcpyDescSize(kind, descSize));
}

aclError aclrtSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *srcAddr, void *dstAddr, size_t count, void *config)
{
    ENTER();
    REQUIRE(desc && isKind(kind) && srcAddr && dstAddr && count && !config, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsSetMemcpyDesc(desc, kind, srcAddr, dstAddr, count));
}

aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream)
{
    ENTER();
    REQUIRE(desc && isKind(kind) && stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsMemcpyAsyncWithDesc(desc, kind, stream));
}

aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax, size_t dstDataOffset, const void **src, size_t count,
                                    size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream)
{
    ENTER();
    if (count == 0) {
        return ACL_SUCCESS;
    }
    ANSWER(rtMemcpyAsyncWithOffset(dst, destMax, dstDataOffset, src, count, srcDataOffset, kind, stream));
}

aclError aclrtGetSymbolAddress(const void *symbol, void **devPtr)
{
    ENTER();
    size_t size;
    REQUIRE(symbol && devPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtSymbolLookup(symbol, devPtr, &size));
}

aclError aclrtGetSymbolSize(const void *symbol, size_t *size)
{
    ENTER();
    void *address;
    REQUIRE(symbol && size, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtSymbolLookup(symbol, &address, size));
}

/* Where `count` bytes from `offset` on lie in a symbol, and how many follow. */
static aclError locate(const void *symbol, size_t count, size_t offset, char **address, size_t *room)
{
    void *base = NULL;
    size_t size = 0;
    aclError code = rtSymbolLookup(symbol, &base, &size);
    if (code == ACL_SUCCESS && (offset > SIZE_MAX - count || offset + count > size)) {
        code = ACL_ERROR_INVALID_PARAM;
    }
    if (code == ACL_SUCCESS) {
        *address = (char *)base + offset;
        *room = size - offset;
    }
    return code;
}

static aclError fromSymbol(void *dst, size_t max, const void *symbol, size_t count, size_t offset, aclrtMemcpyKind kind,
                           bool queued, aclrtStream stream)
{
    char *address;
    size_t room;
    if (count == 0) {
        return ACL_SUCCESS;
    }
    if (!symbol || !dst || count > max || (kind != ACL_MEMCPY_DEVICE_TO_HOST && kind != ACL_MEMCPY_DEFAULT)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    aclError code = locate(symbol, count, offset, &address, &room);
    if (code != ACL_SUCCESS) {
        return code;
    }
    return queued ? rtMemcpyAsync(dst, max, address, count, ACL_MEMCPY_DEVICE_TO_HOST, stream)
                  : rtMemcpy(dst, max, address, count, ACL_MEMCPY_DEVICE_TO_HOST);
}

static aclError toSymbol(const void *symbol, const void *src, size_t count, size_t offset, aclrtMemcpyKind kind,
                         bool queued, aclrtStream stream)
{
    char *address;
    size_t room;
    if (count == 0) {
        return ACL_SUCCESS;
    }
    if (!symbol || !src || (kind != ACL_MEMCPY_HOST_TO_DEVICE && kind != ACL_MEMCPY_DEFAULT)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    aclError code = locate(symbol, count, offset, &address, &room);
    if (code != ACL_SUCCESS) {
        return code;
    }
    return queued ? rtMemcpyAsync(address, room, src, count, ACL_MEMCPY_HOST_TO_DEVICE, stream)
                  : rtMemcpy(address, room, src, count, ACL_MEMCPY_HOST_TO_DEVICE);
}

aclError aclrtMemcpyFromSymbol(void *dst, size_t dstMax, const void *symbol, size_t count, size_t offset,
                               aclrtMemcpyKind kind)
{
    ENTER();
    ANSWER(fromSymbol(dst, dstMax, symbol, count, offset, kind, false, NULL));
}

aclError aclrtMemcpyFromSymbolAsync(void *dst, size_t dstMax, const void *symbol, size_t count, size_t offset,
                                    aclrtMemcpyKind kind, aclrtStream stream)
{
    ENTER();
    ANSWER(fromSymbol(dst, dstMax, symbol, count, offset, kind, true, stream));
}

aclError aclrtMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset, aclrtMemcpyKind kind)
{
    ENTER();
    ANSWER(toSymbol(symbol, src, count, offset, kind, false, NULL));
}

aclError aclrtMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset, aclrtMemcpyKind kind,
                                  aclrtStream stream)
{
    ENTER();
    ANSWER(toSymbol(symbol, src, count, offset, kind, true, stream));
}
