/* The blocks of one device, or the pinned blocks of the host. */
#ifndef ACLSIM_HEAP_H
#define ACLSIM_HEAP_H

#include <pthread.h>

#include "../engine.h"
#include "arena.h"

enum page_class { PAGES_NORMAL, PAGES_HUGE, PAGES_GIANT, PAGES_MEDIA, PAGES_POOL, PAGE_CLASSES };

#define PINNED_HEAP (-1)
#define MANAGED_HEAP (-2)

struct heap {
    pthread_mutex_t lock;
    struct window window;
    struct arena arenas[PAGE_CLASSES]; /* a class that the heap lacks has size 0 */
    void *live;                        /* search tree of live extents by address */
    uint64_t capacity;
    uint64_t charged;                  /* memory that handles hold, without addresses here */
    uint64_t most[2];                  /* the largest heapUsage so far */
    int32_t device;                    /* or one of the two above */
    bool open;
    _Atomic bool reserved;             /* the window may be read without the lock */
};

struct block {
    uintptr_t base;
    uint64_t size;
    uint64_t page;
};

aclError heapOpen(struct heap *heap, int32_t device, uint64_t capacity);
/* Drops every block; the addresses stay reserved so that stale pointers fault. */
void heapClose(struct heap *heap);

/* 0 when no block of this class fits. */
uintptr_t heapAllocate(struct heap *heap, enum page_class class, uint64_t size);
/* False unless `address` is the exact start of a live block. */
bool heapRelease(struct heap *heap, uintptr_t address);
/* For pools: the block is released, but its pages stay and nobody else gets them; NULL unless `address` is an exact start. */
struct extent *heapRetire(struct heap *heap, uintptr_t address);
/* Makes a block of the first `size` bytes of a retired extent; what is left over stays retired, in `*rest`, if it isn't NULL. */
bool heapRevive(struct heap *heap, struct extent *extent, uint64_t size, struct extent **rest);
/* Takes the pages of a retired extent away. */
void heapDrop(struct heap *heap, struct extent *extent);
/* Whether an address is in the heap's window, with or without a block there. */
bool heapHolds(const struct heap *heap, uintptr_t address);
/* The live block that holds an address, interior ones included. */
bool heapFind(struct heap *heap, uintptr_t address, struct block *block);
uint64_t heapReach(struct heap *heap, uintptr_t address, uint64_t length);
/* Gives the cache back, before an allocation is tried a second time. */
void heapTrim(struct heap *heap);
uint64_t heapFreeBytes(struct heap *heap);
/* Memory of the device that is none of the heap's blocks; false when there is not enough. */
bool heapCharge(struct heap *heap, uint64_t bytes);
void heapCredit(struct heap *heap, uint64_t bytes);
size_t heapLiveCount(struct heap *heap);
/* Bytes now and at most since the heap was opened: of ordinary memory and of media memory. */
void heapUsage(struct heap *heap, uint64_t now[2], uint64_t most[2]);
/* Whether an address is in the arena of media memory. */
bool heapIsMedia(const struct heap *heap, uintptr_t address);

#endif
