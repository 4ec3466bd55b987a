/* Copies and sets. Neither compares a range with a block: bytes move as far as pages
 * reach, over neighbors, and only an address without pages is an error. */
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "foreign.h"
#include "host_memory.h"
#include "stream.h"
#include "virtual.h"

static bool isPageable(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    bool pinned;
    bool known = heapOf(at) || foreignHolds(at) || virtualHolds(at);
    return !known && !(registrationHolds(at, &pinned) && pinned);
}

static bool isDevice(const void *address)
{
    struct heap *heap = heapOf((uintptr_t)address);
    uintptr_t at = (uintptr_t)address;
    if (heap) {
        return heap->device != PINNED_HEAP;
    }
    return foreignHolds(at) || (virtualHolds(at) && !virtualIsHost(at));
}

void *aclsimView(const void *address, uint64_t size, uint64_t *reach)
{
    struct heap *heap = heapOf((uintptr_t)address);
    if (!heap && foreignHolds((uintptr_t)address)) {
        return foreignView((uintptr_t)address, size, reach);
    }
    if (!heap) {
        char *view = virtualView((uintptr_t)address, size, reach);
        if (!view) {
            *reach = size;
        }
        return view ? view : (void *)(uintptr_t)address;
    }
    *reach = heapReach(heap, (uintptr_t)address, size);
    return windowAlias(&heap->window, (uintptr_t)address);
}

/* Memory that a copy may access: of registered host memory only the host's own address. */
static void *viewForCopy(const void *address, uint64_t size, uint64_t *reach)
{
    struct foreign range;
    if (foreignFind((uintptr_t)address, &range) && range.kind == FOREIGN_REGISTERED) {
        *reach = 0;
        return (void *)(uintptr_t)address;
    }
    return aclsimView(address, size, reach);
}

/* A range that runs off the mapped pages faults half way, and so does a reserved range
 * where nothing is mapped; any other address the driver does not know is a bad parameter. */
static aclError fallenShort(uint64_t reach, const void *end)
{
    bool known = reach || virtualHolds((uintptr_t)end);
    return known ? ACL_ERROR_RT_DRV_INTERNAL_ERROR : ACL_ERROR_RT_PARAM_INVALID;
}

/* Whether an address is that of memory of the program's own which devices reach. */
static bool isRegistered(const void *address, const void *view)
{
    bool pinned;
    return view == address && !heapOf((uintptr_t)address) && registrationHolds((uintptr_t)address, &pinned) && pinned;
}

static void moveBytes(void *to, const void *from, uint64_t size, bool to_registered, bool from_registered)
{
    bool done = size == 0 || (to_registered && !from_registered && hostMemoryWrite(to, from, size)) ||
                (from_registered && !to_registered && hostMemoryRead(to, from, size));
    if (!done) {
        memmove(to, from, size);
    }
}

static aclError copyBytes(void *dst, const void *src, uint64_t count)
{
    uint64_t to_reach, from_reach;
    void *to = viewForCopy(dst, count, &to_reach);
    const void *from = viewForCopy(src, count, &from_reach);
    uint64_t reach = to_reach < from_reach ? to_reach : from_reach;
    moveBytes(to, from, reach, isRegistered(dst, to), isRegistered(src, from));
    return reach == count ? ACL_SUCCESS : fallenShort(reach, to_reach < from_reach ? dst : src);
}

static aclError setBytes(void *dst, int value, uint64_t count)
{
    uint64_t reach;
    void *to = viewForCopy(dst, count, &reach);
    memset(to, value, reach);
    return reach == count ? ACL_SUCCESS : fallenShort(reach, dst);
}

static aclError setWords(void *dst, uint32_t value, uint64_t count)
{
    uint64_t reach, size = count * sizeof value;
    char *to = aclsimView(dst, size, &reach);
    for (uint64_t at = 0; at < reach; at += sizeof value) {
        memcpy(to + at, &value, sizeof value);
    }
    return reach == size ? ACL_SUCCESS : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

/* A task has no caller to blame for a parameter: the driver reports its own error. */
static aclError asFault(aclError code)
{
    return code == ACL_SUCCESS ? code : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

struct transfer {
    void *dst;
    const void *src;
    uint64_t dpitch, spitch, width, height;
    int value;
    char staged[];
};

static aclError copyRows(const struct transfer *transfer)
{
    aclError code = ACL_SUCCESS;
    for (uint64_t row = 0; row < transfer->height && code == ACL_SUCCESS; row++) {
        code = copyBytes((char *)transfer->dst + row * transfer->dpitch,
                         (const char *)transfer->src + row * transfer->spitch, transfer->width);
    }
    return code;
}

static aclError runCopy(void *argument)
{
    return asFault(copyRows(argument));
}

static aclError runSet(void *argument)
{
    struct transfer *transfer = argument;
    return asFault(setBytes(transfer->dst, transfer->value, transfer->width));
}

static aclError runSetWords(void *argument)
{
    struct transfer *transfer = argument;
    return asFault(setWords(transfer->dst, (uint32_t)transfer->value, transfer->width));
}

static aclError push(struct stream *stream, aclError (*run)(void *), const struct transfer *form, uint64_t staged)
{
    struct transfer *transfer = malloc(sizeof *transfer + staged);
    if (!transfer) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *transfer = *form;
    if (staged) {
        memcpy(transfer->staged, form->src, staged);
        transfer->src = transfer->staged;
    }
    aclError code = streamPush(stream, run, free, transfer);
    if (code != ACL_SUCCESS) {
        free(transfer);
    }
    return code;
}

enum place { PLACE_DEVICE, PLACE_HOST, PLACE_PAGEABLE };

static enum place placeOf(const void *address)
{
    return isDevice(address) ? PLACE_DEVICE : isPageable(address) ? PLACE_PAGEABLE : PLACE_HOST;
}

#define ANY_KIND (1u << ACL_MEMCPY_HOST_TO_HOST | 1u << ACL_MEMCPY_HOST_TO_DEVICE | 1u << ACL_MEMCPY_DEVICE_TO_HOST | \
                  1u << ACL_MEMCPY_DEVICE_TO_DEVICE)

/* By source and destination: the meaning of ACL_MEMCPY_DEFAULT, and the other kinds that are accepted (api_error.cc,
 * MemcpyKindReviseMap). Two ends that the driver knows decide alone. */
static const struct {
    aclrtMemcpyKind kind;
    unsigned allowed;
} revisions[3][3] = {
    [PLACE_DEVICE] = {
        [PLACE_DEVICE] = {ACL_MEMCPY_DEVICE_TO_DEVICE, 0},
        [PLACE_HOST] = {ACL_MEMCPY_DEVICE_TO_HOST, 0},
        [PLACE_PAGEABLE] = {ACL_MEMCPY_DEVICE_TO_HOST, 1u << ACL_MEMCPY_DEVICE_TO_HOST | 1u << ACL_MEMCPY_DEVICE_TO_DEVICE},
    },
    [PLACE_HOST] = {
        [PLACE_DEVICE] = {ACL_MEMCPY_HOST_TO_DEVICE, 0},
        [PLACE_HOST] = {ACL_MEMCPY_HOST_TO_HOST, 0},
        [PLACE_PAGEABLE] = {ACL_MEMCPY_HOST_TO_HOST, 1u << ACL_MEMCPY_HOST_TO_HOST | 1u << ACL_MEMCPY_HOST_TO_DEVICE},
    },
    [PLACE_PAGEABLE] = {
        [PLACE_DEVICE] = {ACL_MEMCPY_HOST_TO_DEVICE, 1u << ACL_MEMCPY_HOST_TO_DEVICE | 1u << ACL_MEMCPY_DEVICE_TO_DEVICE},
        [PLACE_HOST] = {ACL_MEMCPY_HOST_TO_HOST, 1u << ACL_MEMCPY_HOST_TO_HOST | 1u << ACL_MEMCPY_DEVICE_TO_HOST},
        [PLACE_PAGEABLE] = {ACL_MEMCPY_HOST_TO_HOST, ANY_KIND},
    },
};

static aclError reviseKind(const struct transfer *transfer, aclrtMemcpyKind *kind)
{
    enum place from = placeOf(transfer->src), to = placeOf(transfer->dst);
    if (aclsimSoc()->run_mode != ACL_HOST) {
        return ACL_SUCCESS;
    }
    unsigned allowed = revisions[from][to].allowed;
    if (allowed && *kind != ACL_MEMCPY_DEFAULT) {
        return allowed >> *kind & 1 ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
    }
    *kind = revisions[from][to].kind;
    return ACL_SUCCESS;
}

/* Which kinds a form takes when the addresses have spoken: those between host and device, and within a device. */
static bool isCrossing(aclrtMemcpyKind kind)
{
    return kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_HOST;
}

/* Pageable memory makes a copy wait for the stream and then run in the caller. */
static aclError submit(const struct transfer *transfer, aclrtMemcpyKind kind, bool rows, aclrtStream handle)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    bool online = aclsimSoc()->run_mode == ACL_HOST;
    bool staged = kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
    if (staged && online && (isDevice(transfer->src) || !isDevice(transfer->dst))) {
        return ACL_ERROR_RT_PARAM_INVALID; /* MemcpyAsyncCheckExLocation */
    }
    code = staged ? ACL_SUCCESS : reviseKind(transfer, &kind);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (online && kind == ACL_MEMCPY_HOST_TO_HOST) {
        return rows ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    if (transfer->dst == transfer->src) {
        return ACL_SUCCESS;
    }
    if (staged && isPageable(transfer->src)) {
        return push(stream, runCopy, transfer, transfer->width);
    }
    if (isPageable(transfer->dst) || isPageable(transfer->src)) {
        if (stream->capture) {
            return ACL_ERROR_RT_PARAM_INVALID;
        }
        code = streamWait(stream, -1);
        if (code == ACL_SUCCESS && captureAllows() != ACL_SUCCESS) {
            code = ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC;
        }
        return code == ACL_SUCCESS ? copyRows(transfer) : code;
    }
    return push(stream, runCopy, transfer, 0);
}

aclError rtMemcpy(void *dst, uint64_t dest_max, const void *src, uint64_t count, aclrtMemcpyKind kind)
{
    (void)kind; /* the addresses decide */
    if (count > dest_max) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (dst == src) {
        return ACL_SUCCESS;
    }
    aclError code = captureAllows();
    return code == ACL_SUCCESS ? copyBytes(dst, src, count) : code;
}

aclError rtMemcpyAsync(void *dst, uint64_t dest_max, const void *src, uint64_t count, aclrtMemcpyKind kind,
                       aclrtStream stream)
{
    if (count > dest_max) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    struct transfer transfer = {.dst = dst, .src = src, .width = count, .height = 1};
    return submit(&transfer, kind, false, stream);
}

/* Limits of both 2-D forms. */
static bool rowsFit(uint64_t width, uint64_t height)
{
    return width <= 5000000 && height <= 5 * 1024 * 1024;
}

aclError rtMemcpy2d(void *dst, uint64_t dpitch, const void *src, uint64_t spitch, uint64_t width, uint64_t height,
                    aclrtMemcpyKind kind)
{
    if (!rowsFit(width, height)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (kind == ACL_MEMCPY_DEVICE_TO_DEVICE) { /* refused as it is said; by address it is a wrong kind (MemCopy2DSync) */
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    struct transfer transfer = {dst, src, dpitch, spitch, width, height, 0};
    aclError code = reviseKind(&transfer, &kind);
    bool online = aclsimSoc()->run_mode == ACL_HOST;
    if (online && (code != ACL_SUCCESS || !isCrossing(kind) || !(isDevice(dst) || isDevice(src)))) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    code = captureAllows();
    return code == ACL_SUCCESS ? copyRows(&transfer) : code;
}

aclError rtMemcpy2dAsync(void *dst, uint64_t dpitch, const void *src, uint64_t spitch, uint64_t width,
                         uint64_t height, aclrtMemcpyKind kind, aclrtStream stream)
{
    if (!rowsFit(width, height)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    struct transfer transfer = {dst, src, dpitch, spitch, width, height, 0};
    return submit(&transfer, kind, true, stream);
}

aclError rtMemset(void *dst, uint64_t dest_max, uint32_t value, uint64_t count)
{
    aclError code = captureAllows();
    if (code == ACL_SUCCESS && count > dest_max) { /* the driver compares them (npu_driver_mem.cc, MemSetSync) */
        code = ACL_ERROR_RT_PARAM_INVALID;
    }
    return code == ACL_SUCCESS ? setBytes(dst, (int)value, count) : code;
}

/* Host memory is filled at once, here and below. */
aclError rtMemsetAsync(void *dst, uint64_t dest_max, uint32_t value, uint64_t count, aclrtStream handle)
{
    struct stream *stream;
    if (count > dest_max) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS || !isDevice(dst)) {
        return code == ACL_SUCCESS ? setBytes(dst, (int)value, count) : code;
    }
    struct transfer transfer = {.dst = dst, .value = (int)value, .width = count};
    return push(stream, runSet, &transfer, 0);
}

aclError rtMemsetD32(void *dst, uint64_t dest_max, uint32_t value, uint64_t count)
{
    if (count * sizeof value > dest_max) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    aclError code = captureAllows();
    return code == ACL_SUCCESS ? setWords(dst, value, count) : code;
}

aclError rtMemsetD32Async(void *dst, uint64_t dest_max, uint32_t value, uint64_t count, aclrtStream handle)
{
    struct stream *stream;
    if (count * sizeof value > dest_max) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS || !isDevice(dst)) {
        return code == ACL_SUCCESS ? setWords(dst, value, count) : code;
    }
    struct transfer transfer = {.dst = dst, .value = (int)value, .width = count};
    return push(stream, runSetWords, &transfer, 0);
}
