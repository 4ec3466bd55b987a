/* Which heap and page class serves a request, and what the runtime checks at a release. */
#include <string.h>
#include <time.h>

#include "foreign.h"
#include "mbuf.h"
#include "pool.h"
#include "settings.h"
#include "virtual.h"

/* Above this the runtime tries huge pages, although its documents say 2 MiB. */
#define HUGE_PAGE_FROM (1ull << 20)

static uintptr_t tryDevice(struct heap *heap, uint32_t policy, uint64_t size)
{
    switch (policy & 0xff) { /* the bits above are bandwidth and access flags */
    case ACL_MEM_MALLOC_NORMAL_ONLY:
    case ACL_MEM_MALLOC_NORMAL_ONLY_P2P:
        return heapAllocate(heap, PAGES_NORMAL, size);
    case ACL_MEM_MALLOC_HUGE_ONLY:
    case ACL_MEM_MALLOC_HUGE_ONLY_P2P:
        return heapAllocate(heap, PAGES_HUGE, size);
    case ACL_MEM_MALLOC_HUGE1G_ONLY:
    case ACL_MEM_MALLOC_HUGE1G_ONLY_P2P:
        return heapAllocate(heap, PAGES_GIANT, size);
    default: {
        uintptr_t address = size > HUGE_PAGE_FROM ? heapAllocate(heap, PAGES_HUGE, size) : 0;
        return address ? address : heapAllocate(heap, PAGES_NORMAL, size);
    }
    }
}

static aclError answer(uintptr_t address, void **pointer)
{
    *pointer = (void *)address; /* the driver clears it where it has no memory (devmm_svm.c, halMemAlloc) */
    return address ? ACL_SUCCESS : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

static void takeTime(uint64_t us)
{
    struct timespec pause = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
    if (us > 0) {
        nanosleep(&pause, NULL);
    }
}

static struct heap *currentHeap(void)
{
    struct context *context = contextCurrent();
    return context ? &deviceAt(context->device)->heap : NULL;
}

aclError rtMalloc(void **pointer, uint64_t size, uint32_t policy, uint16_t module)
{
    (void)module;
    struct heap *heap = currentHeap();
    if (!heap) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    if (size == 0) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    uint32_t pages = policy & 0xff;
    bool giant = pages == ACL_MEM_MALLOC_HUGE1G_ONLY || pages == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
    if (giant && !aclsimSoc()->has_giant_pages) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    takeTime(settings()->allocation_us);
    uintptr_t address = tryDevice(heap, policy, size);
    if (!address) { /* the runtime trims every pool to nothing and tries once more (DevMalloc); the driver gives its own cache back */
        takeTime(settings()->trim_us);
        poolsGiveBack();
        heapTrim(heap);
        address = tryDevice(heap, policy, size);
    }
    return answer(address, pointer);
}

/* Caching concerns the chip's own CPU. */
aclError rtMallocCached(void **pointer, uint64_t size, uint32_t policy, uint16_t module)
{
    return size > 1ull << 50 ? ACL_ERROR_RT_PARAM_INVALID : rtMalloc(pointer, size, policy, module); /* MAX_ALLOC_SIZE */
}

aclError rtMallocHost(void **pointer, uint64_t size, uint16_t module)
{
    (void)module;
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    if (size == 0) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return answer(heapAllocate(heapPinned(), PAGES_NORMAL, size), pointer);
}

aclError rtDvppMalloc(void **pointer, uint64_t size, uint16_t module)
{
    if (!aclsimSoc()->has_media_heap) {
        return rtMalloc(pointer, size, ACL_MEM_MALLOC_HUGE_FIRST, module);
    }
    struct heap *heap = currentHeap();
    if (!heap) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    uintptr_t address = heapAllocate(heap, PAGES_MEDIA, size);
    if (!address) {
        heapTrim(heap);
        address = heapAllocate(heap, PAGES_MEDIA, size);
    }
    return answer(address, pointer);
}

/* The driver asks for the exact start and nothing else: not the family, not a context,
 * not that queued work is done. */
aclError rtFree(void *pointer)
{
    if (poolRelease((uintptr_t)pointer)) {
        return ACL_SUCCESS;
    }
    if (mbufBegins((uintptr_t)pointer)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    struct heap *heap = heapOf((uintptr_t)pointer);
    return heap && heapRelease(heap, (uintptr_t)pointer) ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

/* Unregistered memory passes this test and is refused by the driver instead. */
aclError rtFreeHost(void *pointer)
{
    struct heap *heap = heapOf((uintptr_t)pointer);
    bool on_device = heap && heap->device >= 0 && aclsimSoc()->run_mode == ACL_HOST;
    if (on_device || (heap && heap->device == MANAGED_HEAP) || foreignHolds((uintptr_t)pointer)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return rtFree(pointer);
}

aclError rtDvppFree(void *pointer)
{
    struct heap *heap = heapOf((uintptr_t)pointer);
    if (!heap || heap->device == PINNED_HEAP) { /* managed memory passes (api_impl.cc, DevDvppFree) */
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return rtFree(pointer);
}

aclError rtFreeWithDevSync(void *pointer)
{
    aclError code = rtDeviceSynchronizeWithTimeout(-1);
    return code == ACL_SUCCESS ? rtFree(pointer) : code;
}

aclError rtFreeHostWithDevSync(void *pointer)
{
    aclError code = rtDeviceSynchronizeWithTimeout(-1);
    return code == ACL_SUCCESS ? rtFreeHost(pointer) : code;
}

aclError aclsimMemoryInfo(uint64_t *free_bytes, uint64_t *total_bytes)
{
    struct heap *heap = currentHeap();
    if (!heap) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    *free_bytes = heapFreeBytes(heap);
    *total_bytes = heap->capacity;
    return ACL_SUCCESS;
}

aclError rtsPointerGetAttributes(const void *pointer, aclrtPtrAttributes *attributes)
{
    struct heap *heap = heapOf((uintptr_t)pointer);
    struct block block;
    memset(attributes, 0, sizeof *attributes);
    attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    bool pinned;
    struct foreign range;
    if (foreignFind((uintptr_t)pointer, &range)) {
        if (range.kind == FOREIGN_REGISTERED) { /* documented as undefined */
            return ACL_ERROR_RT_PARAM_INVALID;
        }
        attributes->location = (aclrtMemLocation){(uint32_t)range.device, ACL_MEM_LOCATION_TYPE_DEVICE};
        attributes->pageSize = (uint32_t)range.page;
    } else if (!heap && registrationHolds((uintptr_t)pointer, &pinned)) {
        attributes->location.type = ACL_MEM_LOCATION_TYPE_HOST;
        attributes->pageSize = 4096;
    } else if (heap && heapFind(heap, (uintptr_t)pointer, &block)) {
        bool host = heap->device < 0;
        attributes->location.type = heap->device == MANAGED_HEAP ? ACL_MEM_LOCATION_TYPE_MANAGED
                                    : host                       ? ACL_MEM_LOCATION_TYPE_HOST
                                                                 : ACL_MEM_LOCATION_TYPE_DEVICE;
        attributes->location.id = host ? 0 : (uint32_t)heap->device;
        attributes->pageSize = (uint32_t)block.page;
        return ACL_SUCCESS;
    }
    int32_t device;
    if (!heap && virtualFind((uintptr_t)pointer, &block, &device)) {
        attributes->location.type = device < 0 ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
        attributes->location.id = device < 0 ? 0 : (uint32_t)device;
        attributes->pageSize = (uint32_t)block.page;
    }
    return ACL_SUCCESS;
}

aclError rtMemGetAddressRange(void *pointer, void **base, size_t *size)
{
    void *start;
    uint64_t bytes;
    if ((!base && !size) || !aclsimBlock(pointer, &start, &bytes)) { /* one of the two may be missing */
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (base) {
        *base = start;
    }
    if (size) {
        *size = bytes;
    }
    return ACL_SUCCESS;
}

bool aclsimBlock(const void *address, void **base, uint64_t *size)
{
    struct heap *heap = heapOf((uintptr_t)address);
    struct block block;
    struct foreign range;
    if (foreignFind((uintptr_t)address, &range) && range.kind == FOREIGN_IMPORTED) {
        *base = (void *)range.base;
        *size = range.size;
        return true;
    }
    int32_t device;
    bool found = heap ? heapFind(heap, (uintptr_t)address, &block) : virtualFind((uintptr_t)address, &block, &device);
    if (!found) {
        return false;
    }
    *base = (void *)block.base;
    *size = block.size;
    return true;
}

size_t aclsimLiveCount(int32_t device)
{
    struct device *at = deviceAt(device);
    return device < 0 ? heapLiveCount(heapPinned()) : at ? heapLiveCount(&at->heap) : 0;
}
