/* Stream-ordered pools. A piece is whole 2 MiB pages; the host's side of it changes at the call, so a freed piece can be handed
 * out again before the stream has come to the release. */
#include "pool.h"

#include <stdlib.h>

#include "../cann.h"
#include "stream.h"

#define PIECE_BYTES (2ull << 20)

struct piece {
    struct piece *next;
    struct extent *extent;   /* while it is cached */
    uintptr_t start;
    uint64_t size;
    bool busy;
    int32_t stream;          /* the last one that it was given to or freed on */
    uint64_t release;        /* number of the last release */
    bool reached;            /* the stream has come to that release */
};

static struct pool *pools;
static uint64_t releases;
pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t reached = PTHREAD_COND_INITIALIZER;

struct pool *poolOf(const void *handle)
{
    struct pool *at = pools;
    while (at && at != handle) {
        at = at->next;
    }
    return at;
}

/* The lock is held, here and in every function without a line about it. */
static struct piece *pieceAt(uintptr_t address, struct pool **pool)
{
    for (struct pool *at = pools; at; at = at->next) {
        for (struct piece *piece = at->pieces; piece; piece = piece->next) {
            if (address - piece->start < piece->size) {
                *pool = at;
                return piece;
            }
        }
    }
    return NULL;
}

static struct heap *heapFor(const struct pool *pool)
{
    return &deviceAt(pool->device)->heap;
}

static void raise(uint64_t *high, uint64_t current)
{
    *high = current > *high ? current : *high;
}

static struct piece *pieceNew(struct pool *pool, uintptr_t start, uint64_t size)
{
    struct piece *piece = calloc(1, sizeof *piece);
    if (piece) {
        *piece = (struct piece){.next = pool->pieces, .start = start, .size = size};
        pool->pieces = piece;
    }
    return piece;
}

static void pieceDrop(struct pool *pool, struct piece *piece)
{
    struct piece **link = &pool->pieces;
    while (*link != piece) {
        link = &(*link)->next;
    }
    *link = piece->next;
    pool->reserved -= piece->size;
    if (piece->busy) {
        pool->used -= piece->size;
        heapRelease(heapFor(pool), piece->start);
    } else {
        heapDrop(heapFor(pool), piece->extent);
    }
    free(piece);
}

/* Cached pieces go until the pool keeps `keep`; those that queued work may still name stay. */
static void trim(struct pool *pool, uint64_t keep)
{
    for (struct piece *piece = pool->pieces, *next; piece && pool->reserved > keep; piece = next) {
        next = piece->next;
        if (!piece->busy && piece->reached) {
            pieceDrop(pool, piece);
        }
    }
}

/* The smallest cached piece that its stream, or the pool's attributes, let this stream have. After 9.1 there is none: a release
 * leaves the pool's memory to aclrtMemPoolTrimTo. */
static struct piece *reusable(struct pool *pool, uint64_t size, int32_t stream)
{
    struct piece *best = NULL;
    if (ACLSIM_AFTER_9_1) {
        return NULL;
    }
    for (struct piece *at = pool->pieces; at; at = at->next) {
        bool allowed = at->stream == stream || pool->internal || (pool->opportunistic && at->reached);
        if (!at->busy && at->size >= size && allowed && (!best || at->size < best->size)) {
            best = at;
        }
    }
    return best;
}

static struct piece *revive(struct pool *pool, struct piece *piece, uint64_t size)
{
    struct extent *rest;
    if (!heapRevive(heapFor(pool), piece->extent, size, &rest)) {
        return NULL;
    }
    if (rest) {
        struct piece *left = pieceNew(pool, piece->start + size, piece->size - size);
        if (left) {
            *left = (struct piece){left->next, rest, left->start, left->size, false, piece->stream, piece->release, piece->reached};
        }
        piece->size = size;
    }
    return piece;
}

static struct piece *take(struct pool *pool, uint64_t size, int32_t stream)
{
    struct piece *piece = reusable(pool, size, stream);
    if (piece) {
        piece = revive(pool, piece, size);
    } else if (size <= pool->most - pool->reserved) {
        uintptr_t start = heapAllocate(heapFor(pool), PAGES_POOL, size);
        piece = start ? pieceNew(pool, start, size) : NULL;
        pool->reserved += piece ? size : 0;
        raise(&pool->reserved_high, pool->reserved);
    }
    if (piece) {
        piece->busy = true;
        pool->used += piece->size;
        raise(&pool->used_high, pool->used);
    }
    return piece;
}

/* A queued task's data about a release: pool and piece may be gone when it runs. */
struct point {
    uintptr_t start;
    uint64_t release;
};

static aclError push(struct stream *stream, aclError (*run)(void *), void (*drop)(void *), uintptr_t start,
                     uint64_t release)
{
    struct point *point = malloc(sizeof *point);
    if (!point) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *point = (struct point){start, release};
    aclError code = streamPush(stream, run, drop, point);
    if (code != ACL_SUCCESS) {
        free(point);
    }
    return code;
}

static aclError runRelease(void *argument)
{
    (void)argument;
    return ACL_SUCCESS;
}

/* Also when the stream is dropped by force: nobody may wait for it forever. */
static void dropRelease(void *argument)
{
    struct point *point = argument;
    struct pool *pool;
    pthread_mutex_lock(&pools_lock);
    struct piece *piece = pieceAt(point->start, &pool);
    if (piece && piece->release == point->release) {
        piece->reached = true;
    }
    pthread_cond_broadcast(&reached);
    pthread_mutex_unlock(&pools_lock);
    free(point);
}

/* A piece that another stream has freed: the allocation waits for that release. */
static aclError runAllocate(void *argument)
{
    struct point *point = argument;
    struct pool *pool;
    pthread_mutex_lock(&pools_lock);
    for (;;) {
        struct piece *piece = pieceAt(point->start, &pool);
        if (!piece || piece->release != point->release || piece->reached || streamSelf()->abandoned) {
            break;
        }
        pthread_cond_wait(&reached, &pools_lock);
    }
    pthread_mutex_unlock(&pools_lock);
    return ACL_SUCCESS;
}

aclError rtMemPoolMallocAsync(void **pointer, uint64_t size, aclrtMemPool handle, aclrtStream stream_handle)
{
    struct stream *stream;
    aclError code = streamOf(stream_handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (size > UINT64_MAX - (PIECE_BYTES - 1)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&pools_lock);
    struct pool *pool = poolOf(handle);
    struct piece *piece = pool ? take(pool, (size + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES, stream->id) : NULL;
    struct point point = piece ? (struct point){piece->start, piece->release} : (struct point){0, 0};
    if (piece) {
        piece->reached = piece->reached || piece->release == 0 || piece->stream == stream->id;
        piece->stream = stream->id;
    }
    pthread_mutex_unlock(&pools_lock);
    if (!piece) {
        return ACL_ERROR_RT_INTERNAL_ERROR; /* the runtime's own codes for both have no public counterpart */
    }
    *pointer = (void *)point.start;
    return push(stream, runAllocate, free, point.start, point.release);
}

/* Of no pool: the driver frees it when the stream comes to it, and only a log hears of a failure. */
static aclError runPlainRelease(void *argument)
{
    (void)rtFree((void *)((struct point *)argument)->start);
    return ACL_SUCCESS;
}

aclError rtMemPoolFreeAsync(void *pointer, aclrtStream stream_handle)
{
    struct stream *stream;
    if (!stream_handle) {
        return ACL_ERROR_RT_INTERNAL_ERROR;
    }
    aclError code = streamOf(stream_handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    uintptr_t start = (uintptr_t)pointer;
    struct pool *pool;
    pthread_mutex_lock(&pools_lock);
    struct piece *piece = pieceAt(start, &pool);
    if (!piece) {
        pthread_mutex_unlock(&pools_lock);
        return push(stream, runPlainRelease, free, start, 0);
    }
    bool exact = piece->busy && piece->start == start;
    uint64_t release = 0;
    if (exact) {
        piece->extent = heapRetire(heapFor(pool), start);
        piece->busy = false;
        piece->stream = stream->id;
        piece->reached = false;
        piece->release = release = ++releases;
        pool->used -= piece->size;
    }
    pthread_mutex_unlock(&pools_lock);
    return exact ? push(stream, runRelease, dropRelease, start, release) : ACL_ERROR_RT_PARAM_INVALID;
}

/* Takes the lock, as do all below. */
bool poolRelease(uintptr_t address)
{
    struct pool *pool;
    pthread_mutex_lock(&pools_lock);
    struct piece *piece = pieceAt(address, &pool);
    bool exact = piece && piece->busy && piece->start == address;
    if (exact) {
        pieceDrop(pool, piece);
    }
    pthread_mutex_unlock(&pools_lock);
    return exact;
}

bool aclsimAwaitsRelease(const void *address)
{
    struct pool *pool;
    pthread_mutex_lock(&pools_lock);
    const struct piece *piece = pieceAt((uintptr_t)address, &pool);
    bool awaits = piece && !piece->busy && !piece->reached;
    pthread_mutex_unlock(&pools_lock);
    return awaits;
}

void poolsSettle(void)
{
    if (ACLSIM_AFTER_9_1) {
        return;
    }
    pthread_mutex_lock(&pools_lock);
    for (struct pool *pool = pools; pool; pool = pool->next) {
        trim(pool, pool->threshold);
    }
    pthread_mutex_unlock(&pools_lock);
}

void poolsGiveBack(void)
{
    pthread_mutex_lock(&pools_lock);
    for (struct pool *pool = pools; pool; pool = pool->next) {
        trim(pool, 0);
    }
    pthread_mutex_unlock(&pools_lock);
}

void poolsWake(void)
{
    pthread_mutex_lock(&pools_lock);
    pthread_cond_broadcast(&reached);
    pthread_mutex_unlock(&pools_lock);
}

static void poolEnd(struct pool *pool)
{
    while (pool->pieces) {
        pieceDrop(pool, pool->pieces);
    }
    struct pool **link = &pools;
    while (*link != pool) {
        link = &(*link)->next;
    }
    *link = pool->next;
    free(pool);
}

void poolsForget(int32_t device)
{
    pthread_mutex_lock(&pools_lock);
    for (struct pool *pool = pools, *next; pool; pool = next) {
        next = pool->next;
        if (pool->device == device) {
            poolEnd(pool);
        }
    }
    pthread_mutex_unlock(&pools_lock);
}

aclError rtMemPoolCreate(aclrtMemPool *handle, int32_t device, uint64_t most)
{
    struct context *context = contextCurrent();
    if (!aclsimSoc()->has_pools) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    if (!context || !deviceAt(device)) {
        return context ? ACL_ERROR_RT_INVALID_DEVICEID : ACL_ERROR_RT_CONTEXT_NULL;
    }
    uint64_t total = deviceAt(device)->heap.capacity;
    most = most ? (most > UINT64_MAX - PIECE_BYTES ? UINT64_MAX : (most + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES)
                : total / PIECE_BYTES * PIECE_BYTES;
    struct pool *pool = most <= total ? calloc(1, sizeof *pool) : NULL;
    if (!pool) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&pools_lock);
    *pool = (struct pool){.next = pools, .device = device, .most = most};
    pools = pool;
    pthread_mutex_unlock(&pools_lock);
    *handle = pool;
    return ACL_SUCCESS;
}

/* Does not check for live blocks: they are gone, and queued work that uses them traps. */
aclError rtMemPoolDestroy(aclrtMemPool handle)
{
    pthread_mutex_lock(&pools_lock);
    struct pool *pool = poolOf(handle);
    if (pool) {
        poolEnd(pool);
    }
    pthread_mutex_unlock(&pools_lock);
    return pool ? ACL_SUCCESS : ACL_ERROR_RT_INTERNAL_ERROR;
}

aclError rtMemPoolTrimTo(aclrtMemPool handle, uint64_t keep)
{
    pthread_mutex_lock(&pools_lock);
    struct pool *pool = poolOf(handle);
    bool valid = pool && keep <= pool->most && (keep >= pool->reserved || keep >= pool->used);
    if (valid) {
        trim(pool, keep);
    }
    pthread_mutex_unlock(&pools_lock);
    return valid ? ACL_SUCCESS : ACL_ERROR_RT_INTERNAL_ERROR;
}
