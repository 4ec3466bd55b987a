/* Pieces of pools: who may use one again, and when their segments go. */
#include "pool.h"

#include <stdlib.h>

#include "memory.h"
#include "work.h"

/* A segment is a multiple of this; documents leave it open. */
#define SEGMENT (2ull << 20)

struct piece {
    struct piece *next;
    uintptr_t start, segment;
    size_t size, segment_size;
    bool is_live;
    struct point freed;     /* no stream: free for all */
};

static CUmemoryPool pools;
static CUmemoryPool defaults[MAX_DEVICES], currents[MAX_DEVICES];

CUmemoryPool poolNew(int device, uint64_t most)
{
    CUmemoryPool pool = calloc(1, sizeof *pool);
    if (!pool || !handleAdd(HANDLE_POOL, pool)) {
        free(pool);
        return NULL;
    }
    pool->device = device;
    pool->most = most;
    pool->reuse[0] = pool->reuse[1] = pool->reuse[2] = 1; /* "default enabled" */
    pool->next = pools;
    pools = pool;
    return pool;
}

CUmemoryPool poolDefault(int device)
{
    if (!defaults[device]) {
        defaults[device] = poolNew(device, 0);
        if (defaults[device]) {
            defaults[device]->is_default = true;
        }
    }
    return defaults[device];
}

CUmemoryPool poolCurrent(int device)
{
    return currents[device] ? currents[device] : poolDefault(device);
}

void poolSetCurrent(int device, CUmemoryPool pool)
{
    currents[device] = pool;
}

static void setPoint(struct piece *piece, struct point point)
{
    if (point.stream) {
        streamHold(point.stream);
    }
    if (piece->freed.stream) {
        streamRelease(piece->freed.stream);
    }
    piece->freed = point;
}

/* Neighbors that any next user may have under the same condition become one piece. */
static void merge(CUmemoryPool pool)
{
    for (struct piece *piece = pool->pieces; piece && piece->next;) {
        struct piece *next = piece->next;
        if (piece->is_live || next->is_live || piece->segment != next->segment ||
            piece->freed.stream != next->freed.stream) {
            piece = next;
            continue;
        }
        if (next->freed.ticket > piece->freed.ticket) {
            piece->freed.ticket = next->freed.ticket;
        }
        piece->size += next->size;
        piece->next = next->next;
        setPoint(next, (struct point){0});
        free(next);
    }
}

void poolTrim(CUmemoryPool pool, uint64_t keep)
{
    for (struct piece **place = &pool->pieces; *place && pool->reserved > keep;) {
        struct piece *piece = *place;
        const bool is_idle = !piece->is_live && !piece->freed.stream && piece->size == piece->segment_size;
        if (!is_idle || pool->reserved - piece->size < keep) {
            place = &piece->next;
            continue;
        }
        *place = piece->next;
        pool->reserved -= piece->size;
        spaceGive(pool->device, piece->start, piece->size);
        free(piece);
    }
}

static void forgetIfUnused(CUmemoryPool pool)
{
    poolTrim(pool, 0);
    if (pool->pieces) {
        return;
    }
    CUmemoryPool *place = &pools;
    while (*place != pool) {
        place = &(*place)->next;
    }
    *place = pool->next;
    free(pool);
}

void poolsObserve(int device)
{
    for (CUmemoryPool pool = pools, next; pool; pool = next) {
        next = pool->next;
        if (pool->device != device) {
            continue;
        }
        for (struct piece *piece = pool->pieces; piece; piece = piece->next) {
            if (piece->freed.stream && isReached(piece->freed)) {
                setPoint(piece, (struct point){0});
            }
        }
        merge(pool);
        poolTrim(pool, pool->threshold);
        if (pool->is_destroyed) {
            forgetIfUnused(pool);
        }
    }
}

size_t poolReach(int device, uintptr_t address)
{
    for (CUmemoryPool pool = pools; pool; pool = pool->next) {
        for (const struct piece *piece = pool->device == device ? pool->pieces : NULL; piece; piece = piece->next) {
            if (address - piece->segment < piece->segment_size) {
                return piece->segment_size - (address - piece->segment);
            }
        }
    }
    return 0;
}

void poolEnd(CUmemoryPool pool)
{
    handleDrop(HANDLE_POOL, pool);
    if (currents[pool->device] == pool) {
        currents[pool->device] = NULL;
    }
    pool->is_destroyed = true;
    forgetIfUnused(pool);
}

enum order { FREE_FOR_ALL, SAME_STREAM, FOLLOWS, IS_DONE, MUST_WAIT };

static enum order orderOf(const struct piece *piece, CUstream stream)
{
    return !piece->freed.stream            ? FREE_FOR_ALL
           : piece->freed.stream == stream ? SAME_STREAM
           : isOrdered(stream, piece->freed) ? FOLLOWS
           : isReached(piece->freed)         ? IS_DONE
                                             : MUST_WAIT;
}

static bool isAllowed(CUmemoryPool pool, enum order order)
{
    switch (order) {
    case FOLLOWS:
        return pool->reuse[0];
    case IS_DONE:
        return pool->reuse[1];
    case MUST_WAIT:
        return pool->reuse[2];
    default:
        return true;
    }
}

/* The one that needs the least order, then the smallest. */
static struct piece *choose(CUmemoryPool pool, CUstream stream, size_t size)
{
    struct piece *best = NULL;
    for (struct piece *piece = pool->pieces; piece; piece = piece->next) {
        if (piece->is_live || piece->size < size || !isAllowed(pool, orderOf(piece, stream))) {
            continue;
        }
        const bool is_late = orderOf(piece, stream) == MUST_WAIT;
        const bool best_is_late = best && orderOf(best, stream) == MUST_WAIT;
        if (!best || is_late < best_is_late || (is_late == best_is_late && piece->size < best->size)) {
            best = piece;
        }
    }
    return best;
}

static struct piece *grow(CUmemoryPool pool, size_t size)
{
    const size_t span = (size + SEGMENT - 1) & ~(size_t)(SEGMENT - 1);
    if (pool->most && span > pool->most - (pool->reserved < pool->most ? pool->reserved : pool->most)) {
        return NULL;
    }
    const uintptr_t start = spaceTake(pool->device, span);
    struct piece *piece = start ? calloc(1, sizeof *piece) : NULL;
    if (!piece) {
        if (start) {
            spaceGive(pool->device, start, span);
        }
        return NULL;
    }
    *piece = (struct piece){.start = start, .segment = start, .size = span, .segment_size = span};
    struct piece **place = &pool->pieces;
    while (*place && (*place)->start < start) {
        place = &(*place)->next;
    }
    piece->next = *place;
    *place = piece;
    pool->reserved += span;
    pool->reserved_high = pool->reserved > pool->reserved_high ? pool->reserved : pool->reserved_high;
    return piece;
}

static void split(struct piece *piece, size_t size)
{
    struct piece *rest = piece->size > size ? calloc(1, sizeof *rest) : NULL;
    if (!rest) {
        return;
    }
    *rest = (struct piece){.next = piece->next, .start = piece->start + size, .segment = piece->segment,
                           .size = piece->size - size, .segment_size = piece->segment_size};
    setPoint(rest, piece->freed);
    piece->next = rest;
    piece->size = size;
}

CUresult poolTake(CUmemoryPool pool, CUstream stream, size_t size, CUdeviceptr *address)
{
    if (size > deviceCapacity()) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const size_t span = (size + BLOCK_GRANULE - 1) & ~(size_t)(BLOCK_GRANULE - 1);
    struct piece *piece = choose(pool, stream, span);
    piece = piece ? piece : grow(pool, span);
    if (!piece) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const bool must_wait = orderOf(piece, stream) == MUST_WAIT;
    CUresult code = submitAfter(stream, workNothing(stream->context), must_wait ? &piece->freed : NULL);
    struct region *region = code != CUDA_SUCCESS ? NULL : regionAdd(&(struct region){
        .base = piece->start, .size = size, .alias = spaceAlias(pool->device, piece->start), .kind = REGION_POOLED,
        .context = stream->context, .device = pool->device, .pool = pool});
    if (!region) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    split(piece, span);
    setPoint(piece, (struct point){0});
    piece->is_live = true;
    pool->used += piece->size;
    pool->used_high = pool->used > pool->used_high ? pool->used : pool->used_high;
    *address = piece->start;
    return CUDA_SUCCESS;
}

void poolGive(CUmemoryPool pool, uintptr_t address, struct point point)
{
    for (struct piece *piece = pool->pieces; piece; piece = piece->next) {
        if (piece->start == address) {
            piece->is_live = false;
            pool->used -= piece->size;
            setPoint(piece, point);
            merge(pool);
            return;
        }
    }
}
