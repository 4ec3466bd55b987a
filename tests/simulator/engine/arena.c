/* Allocation, release, and the page cache between them. */
#define _GNU_SOURCE
#include "extents.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t roundUp(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static void markPages(struct arena *arena, uintptr_t start, uint64_t length, int value)
{
    memset(arena->mapped + (start - arena->base) / arena->form.page, value, length / arena->form.page);
    arena->mapped_bytes = value ? arena->mapped_bytes + length : arena->mapped_bytes - length;
}

/* Maps pages for `length` bytes; returns the extent unbinned. */
static struct extent *mapPages(struct arena *arena, uint64_t length, uint64_t budget)
{
    struct extent *gone = length <= budget ? extentFind(arena, EXTENT_GONE, length) : NULL;
    if (!gone || gone->span < length || !extentSplit(gone, length) || !windowMap(arena->window, gone->start, length)) {
        return NULL;
    }
    extentRemove(gone);
    markPages(arena, gone->start, length, 1);
    return gone;
}

static struct extent *unmapPages(struct arena *arena, struct extent *extent)
{
    windowUnmap(arena->window, extent->start, extent->span);
    markPages(arena, extent->start, extent->span, 0);
    return extentSettle(extent, EXTENT_GONE);
}

/* Unmaps the whole pages inside an idle extent, if they are worth it. Answers the
 * extent now there: joining may have ended the life of this one. */
static struct extent *trimExtent(struct arena *arena, struct extent *idle)
{
    uint64_t page = arena->form.page;
    uintptr_t low = roundUp(idle->start, page);
    uintptr_t high = (idle->start + idle->span) / page * page;
    if (high <= low || high - low < arena->form.chunk || !extentSplit(idle, low - idle->start)) {
        return idle;
    }
    struct extent *middle = low == idle->start ? idle : idle->above;
    if (!extentSplit(middle, high - low)) {
        return middle;
    }
    extentRemove(middle);
    arena->idle_bytes -= middle->span;
    return unmapPages(arena, middle);
}

static uint64_t liveBytes(const struct arena *arena)
{
    return arena->mapped_bytes - arena->idle_bytes;
}

/* The driver lets its cache grow with the program's peak before it gives pages back. */
static uint64_t idleLimit(const struct arena *arena)
{
    uint64_t live = liveBytes(arena);
    uint64_t average = (arena->live_peak + live) / 2;
    uint64_t threshold = 2 * live < average ? 2 * live : average;
    threshold = threshold > arena->form.idle_floor ? threshold : arena->form.idle_floor;
    uint64_t above = threshold + (128ull << 20);
    return 2 * threshold < above ? 2 * threshold : above;
}

static struct extent *growCache(struct arena *arena, uint64_t span, uint64_t budget)
{
    struct extent *fresh = mapPages(arena, roundUp(span, arena->form.chunk), budget);
    if (!fresh) {
        fresh = mapPages(arena, roundUp(span, arena->form.page), budget);
    }
    if (!fresh) {
        return NULL;
    }
    arena->idle_bytes += fresh->span;
    return extentSettle(fresh, EXTENT_IDLE);
}

static struct extent *takeCached(struct arena *arena, uint64_t span, uint64_t budget)
{
    struct extent *extent = extentFind(arena, EXTENT_IDLE, span);
    if (!extent) {
        extent = growCache(arena, span, budget);
    }
    if (!extent || !extentSplit(extent, span)) {
        return NULL;
    }
    extentRemove(extent);
    arena->idle_bytes -= extent->span;
    return extent;
}

struct extent *arenaTake(struct arena *arena, uint64_t span, uint64_t budget)
{
    span = roundUp(span, arena->form.granule);
    bool direct = span > arena->form.direct_over;
    struct extent *extent =
        direct ? mapPages(arena, roundUp(span, arena->form.page), budget) : takeCached(arena, span, budget);
    if (!extent) {
        return NULL;
    }
    extent->state = EXTENT_LIVE;
    arena->live_count++;
    uint64_t live = liveBytes(arena);
    arena->live_peak = live > arena->live_peak ? live : arena->live_peak;
    return extent;
}

void arenaGive(struct arena *arena, struct extent *extent)
{
    arena->live_count--;
    if (extent->span > arena->form.direct_over) {
        unmapPages(arena, extent);
        return;
    }
    arena->idle_bytes += extent->span;
    extent = extentSettle(extent, EXTENT_IDLE);
    if (arena->idle_bytes > idleLimit(arena)) {
        trimExtent(arena, extent);
    }
}

void arenaTrim(struct arena *arena)
{
    for (struct extent *at = arena->lowest; at; at = at->above) {
        if (at->state == EXTENT_IDLE) {
            at = trimExtent(arena, at);
        }
    }
}

bool arenaHolds(const struct arena *arena, uintptr_t address)
{
    return address - arena->base < arena->size;
}

uint64_t arenaReach(const struct arena *arena, uintptr_t address, uint64_t length)
{
    uint64_t offset = address - arena->base;
    uint64_t left = arena->size - offset;
    length = length < left ? length : left;
    if (length == 0) {
        return 0;
    }
    uint64_t first = offset / arena->form.page;
    uint64_t last = (offset + length - 1) / arena->form.page;
    const uint8_t *hole = memchr(arena->mapped + first, 0, last - first + 1);
    if (!hole) {
        return length;
    }
    uint64_t end = (uint64_t)(hole - arena->mapped) * arena->form.page;
    return end > offset ? end - offset : 0;
}

bool arenaOpen(struct arena *arena, const struct window *window, uintptr_t base, uint64_t size, struct arena_form form)
{
    *arena = (struct arena){.window = window, .form = form, .base = base, .size = size};
    void *pages = mmap(NULL, size / form.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct extent *whole = calloc(1, sizeof *whole);
    if (pages == MAP_FAILED || !whole) {
        free(whole);
        return false;
    }
    arena->mapped = pages;
    arena->lowest = whole;
    *whole = (struct extent){.start = base, .span = size, .arena = arena};
    extentSettle(whole, EXTENT_GONE);
    return true;
}

void arenaClose(struct arena *arena)
{
    if (!arena->mapped) {
        return;
    }
    windowUnmap(arena->window, arena->base, arena->size);
    munmap(arena->mapped, arena->size / arena->form.page);
    for (struct extent *at = arena->lowest, *next; at; at = next) {
        next = at->above;
        free(at);
    }
    *arena = (struct arena){0};
}
