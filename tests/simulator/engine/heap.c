/* One address window, one arena per page class, and the live blocks by address. */
#define _GNU_SOURCE
#include "heap.h"

#include <search.h>
#include <stdio.h>

#include "extents.h"
#include "settings.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

/* Device logs of real boards show 0x1240... and 0x12c0...: 512 GiB for each device. */
#define DEVICE_BASE 0x124000000000ull
#define DEVICE_STRIDE GIB(512)
#define PINNED_BASE 0x110000000000ull
#define PINNED_BYTES GIB(256)

/* The documented range of managed memory: up to 3 TiB from here on. */
#define MANAGED_BASE 0x90000000000ull
#define MANAGED_BYTES GIB(256)

/* The runtime asks the driver for 2^9 alignment, regardless of its documents. */
static const struct arena_form forms[PAGE_CLASSES] = {
    [PAGES_NORMAL] = {512, KIB(4), MIB(2), MIB(16), MIB(16)},
    [PAGES_HUGE] = {MIB(2), MIB(2), MIB(2), MIB(32), MIB(32)},
    [PAGES_GIANT] = {GIB(1), GIB(1), GIB(1), 0, 0},
    [PAGES_MEDIA] = {512, MIB(2), MIB(2), MIB(32), MIB(32)},
    [PAGES_POOL] = {MIB(2), MIB(2), MIB(2), 0, 0}, /* the pools keep a cache of their own */
};
static const uint64_t shares[PAGE_CLASSES] = {GIB(128), GIB(128), GIB(128), GIB(32), GIB(96)};

/* Where host and device share one memory, the host's blocks lose the alignment. */
static const struct arena_form shared_host_form = {32, KIB(4), MIB(2), MIB(16), MIB(16)};

/* Released at once: nothing is known of a cache. */
static const struct arena_form managed_form = {MIB(2), MIB(2), MIB(2), 0, 0};

static int byRange(const void *left, const void *right)
{
    const struct extent *a = left;
    const struct extent *b = right;
    if (a->start + a->span <= b->start) {
        return -1;
    }
    return b->start + b->span <= a->start ? 1 : 0;
}

static bool openArenas(struct heap *heap)
{
    const struct aclsim_soc *soc = aclsimSoc();
    if (heap->device == MANAGED_HEAP) {
        return arenaOpen(&heap->arenas[PAGES_HUGE], &heap->window, heap->window.base, heap->window.size, managed_form);
    }
    if (heap->device == PINNED_HEAP) {
        struct arena_form form = soc->run_mode == ACL_DEVICE ? shared_host_form : forms[PAGES_NORMAL];
        return arenaOpen(&heap->arenas[PAGES_NORMAL], &heap->window, heap->window.base, heap->window.size, form);
    }
    uintptr_t base = heap->window.base;
    for (int class = 0; class < PAGE_CLASSES; class++) {
        bool present = class != PAGES_GIANT || soc->has_giant_pages;
        uint64_t share = shares[class] / settings()->narrow;
        if (present && !arenaOpen(&heap->arenas[class], &heap->window, base, share, forms[class])) {
            return false;
        }
        base += share;
    }
    return true;
}

aclError heapOpen(struct heap *heap, int32_t device, uint64_t capacity)
{
    bool visible = device < 0 || aclsimSoc()->run_mode == ACL_DEVICE;
    uintptr_t base = device == PINNED_HEAP    ? PINNED_BASE
                     : device == MANAGED_HEAP ? MANAGED_BASE
                                              : DEVICE_BASE + (uint64_t)device * DEVICE_STRIDE;
    uint64_t size = device == PINNED_HEAP ? PINNED_BYTES : device == MANAGED_HEAP ? MANAGED_BYTES : DEVICE_STRIDE;
    size /= settings()->narrow;
    pthread_mutex_lock(&heap->lock);
    heap->device = device;
    heap->capacity = capacity;
    /* The window outlives the device: a stale pointer must not meet foreign memory. */
    heap->reserved = heap->reserved || windowReserve(&heap->window, base, size, visible);
    heap->open = heap->reserved && openArenas(heap);
    bool open = heap->open;
    pthread_mutex_unlock(&heap->lock);
    if (!open) {
        fprintf(stderr, "aclsim: cannot reserve %llu GiB of address space; is `ulimit -v` set?\n",
                (unsigned long long)(size >> 30));
    }
    return open ? ACL_SUCCESS : ACL_ERROR_RT_DEV_SETUP_ERROR;
}

static void keepExtent(void *extent)
{
    (void)extent; /* arenaClose ends its life */
}

void heapClose(struct heap *heap)
{
    pthread_mutex_lock(&heap->lock);
    heap->open = false;
    heap->charged = heap->most[0] = heap->most[1] = 0;
    tdestroy(heap->live, keepExtent);
    heap->live = NULL;
    for (int class = 0; class < PAGE_CLASSES; class++) {
        arenaClose(&heap->arenas[class]);
    }
    pthread_mutex_unlock(&heap->lock);
}

static uint64_t mappedBytes(const struct heap *heap)
{
    uint64_t total = 0;
    for (int class = 0; class < PAGE_CLASSES; class++) {
        total += heap->arenas[class].mapped_bytes;
    }
    return total;
}

static void usage(const struct heap *heap, uint64_t now[2])
{
    now[1] = heap->arenas[PAGES_MEDIA].mapped_bytes;
    now[0] = mappedBytes(heap) + heap->charged - now[1];
}

/* The lock is held. */
static void noteUsage(struct heap *heap)
{
    uint64_t now[2];
    usage(heap, now);
    for (int i = 0; i < 2; i++) {
        heap->most[i] = now[i] > heap->most[i] ? now[i] : heap->most[i];
    }
}

void heapUsage(struct heap *heap, uint64_t now[2], uint64_t most[2])
{
    pthread_mutex_lock(&heap->lock);
    usage(heap, now);
    most[0] = heap->most[0];
    most[1] = heap->most[1];
    pthread_mutex_unlock(&heap->lock);
}

bool heapIsMedia(const struct heap *heap, uintptr_t address)
{
    const struct arena *arena = &heap->arenas[PAGES_MEDIA];
    return arena->mapped && arenaHolds(arena, address);
}

uintptr_t heapAllocate(struct heap *heap, enum page_class class, uint64_t size)
{
    uint64_t misalign = settings()->misalign;
    uintptr_t user = 0;
    pthread_mutex_lock(&heap->lock);
    struct arena *arena = &heap->arenas[class];
    if (size > arena->size) { /* also keeps roundings of the largest sizes from wrapping */
        pthread_mutex_unlock(&heap->lock);
        return 0;
    }
    uint64_t budget = heap->capacity - mappedBytes(heap) - heap->charged;
    struct extent *extent = heap->open && arena->size ? arenaTake(arena, size + misalign, budget) : NULL;
    if (extent) {
        noteUsage(heap);
        extent->user = extent->start + misalign;
        extent->size = size;
        if (tsearch(extent, &heap->live, byRange)) {
            user = extent->user;
        } else {
            arenaGive(arena, extent);
        }
    }
    pthread_mutex_unlock(&heap->lock);
    return user;
}

static struct extent *liveAt(struct heap *heap, uintptr_t address)
{
    struct extent key = {.start = address, .span = 1};
    struct extent **found = heap->live ? tfind(&key, &heap->live, byRange) : NULL;
    return found ? *found : NULL;
}

bool heapRelease(struct heap *heap, uintptr_t address)
{
    pthread_mutex_lock(&heap->lock);
    struct extent *extent = liveAt(heap, address);
    bool exact = extent && extent->user == address;
    if (exact) {
        tdelete(extent, &heap->live, byRange);
        arenaGive(extent->arena, extent);
    }
    pthread_mutex_unlock(&heap->lock);
    return exact;
}

struct extent *heapRetire(struct heap *heap, uintptr_t address)
{
    pthread_mutex_lock(&heap->lock);
    struct extent *extent = liveAt(heap, address);
    extent = extent && extent->user == address ? extent : NULL;
    if (extent) {
        tdelete(extent, &heap->live, byRange);
        extent->arena->live_count--;
    }
    pthread_mutex_unlock(&heap->lock);
    return extent;
}

bool heapRevive(struct heap *heap, struct extent *extent, uint64_t size, struct extent **rest)
{
    pthread_mutex_lock(&heap->lock);
    uint64_t misalign = settings()->misalign;
    *rest = !misalign && size < extent->span ? extentCut(extent, size) : NULL;
    extent->user = extent->start + misalign;
    extent->size = size;
    bool revived = tsearch(extent, &heap->live, byRange) != NULL;
    extent->arena->live_count += revived;
    pthread_mutex_unlock(&heap->lock);
    return revived;
}

void heapDrop(struct heap *heap, struct extent *extent)
{
    pthread_mutex_lock(&heap->lock);
    extent->arena->live_count++; /* arenaGive counts it down */
    arenaGive(extent->arena, extent);
    pthread_mutex_unlock(&heap->lock);
}

bool heapFind(struct heap *heap, uintptr_t address, struct block *block)
{
    pthread_mutex_lock(&heap->lock);
    struct extent *extent = liveAt(heap, address);
    bool inside = extent && address - extent->user < extent->size;
    if (inside) {
        *block = (struct block){extent->user, extent->size, extent->arena->form.page};
    }
    pthread_mutex_unlock(&heap->lock);
    return inside;
}

bool heapHolds(const struct heap *heap, uintptr_t address)
{
    return heap->reserved && windowHolds(&heap->window, address);
}

uint64_t heapReach(struct heap *heap, uintptr_t address, uint64_t length)
{
    uint64_t reach = 0;
    pthread_mutex_lock(&heap->lock);
    for (int class = 0; class < PAGE_CLASSES; class++) {
        const struct arena *arena = &heap->arenas[class];
        if (arena->mapped && arenaHolds(arena, address)) {
            reach = arenaReach(arena, address, length);
        }
    }
    pthread_mutex_unlock(&heap->lock);
    return reach;
}

void heapTrim(struct heap *heap)
{
    pthread_mutex_lock(&heap->lock);
    for (int class = 0; class < PAGE_CLASSES; class++) {
        if (heap->arenas[class].mapped) {
            arenaTrim(&heap->arenas[class]);
        }
    }
    pthread_mutex_unlock(&heap->lock);
}

uint64_t heapFreeBytes(struct heap *heap)
{
    pthread_mutex_lock(&heap->lock);
    uint64_t bytes = heap->capacity - mappedBytes(heap) - heap->charged;
    pthread_mutex_unlock(&heap->lock);
    return bytes;
}

static bool charge(struct heap *heap, uint64_t bytes)
{
    pthread_mutex_lock(&heap->lock);
    bool fits = heap->open && bytes <= heap->capacity - mappedBytes(heap) - heap->charged;
    heap->charged += fits ? bytes : 0;
    noteUsage(heap);
    pthread_mutex_unlock(&heap->lock);
    return fits;
}

bool heapCharge(struct heap *heap, uint64_t bytes)
{
    if (charge(heap, bytes)) {
        return true;
    }
    heapTrim(heap);
    return charge(heap, bytes);
}

void heapCredit(struct heap *heap, uint64_t bytes)
{
    pthread_mutex_lock(&heap->lock);
    heap->charged -= bytes < heap->charged ? bytes : heap->charged;
    pthread_mutex_unlock(&heap->lock);
}

size_t heapLiveCount(struct heap *heap)
{
    size_t count = 0;
    pthread_mutex_lock(&heap->lock);
    for (int class = 0; class < PAGE_CLASSES; class++) {
        count += heap->arenas[class].live_count;
    }
    pthread_mutex_unlock(&heap->lock);
    return count;
}
