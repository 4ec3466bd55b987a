/* One page class of one heap: extents in address order. An extent is gone (no pages
 * behind it), idle (pages kept for the next request, as the driver's cache does) or
 * live (a block). The caller holds the heap's lock. */
#ifndef ACLSIM_ARENA_H
#define ACLSIM_ARENA_H

#include <stddef.h>

#include "window.h"

enum extent_state { EXTENT_GONE, EXTENT_IDLE, EXTENT_LIVE };

struct extent {
    uintptr_t start;
    uint64_t span;
    enum extent_state state;
    struct extent *below, *above;          /* neighbors by address */
    struct extent *bin_before, *bin_after; /* others of the same size class */
    struct arena *arena;
    /* Of a live extent only: the program's block. */
    uintptr_t user;
    uint64_t size;
};

/* What makes a page class. */
struct arena_form {
    uint64_t granule;     /* starts and spans are multiples of this */
    uint64_t page;
    uint64_t chunk;       /* the cache grows by this much */
    uint64_t direct_over; /* larger requests bypass the cache and are unmapped when released */
    uint64_t idle_floor;  /* the cache keeps at least this much */
};

#define ARENA_BINS 48

struct arena {
    const struct window *window;
    struct arena_form form;
    uintptr_t base;
    uint64_t size;
    uint8_t *mapped;               /* one byte per page */
    struct extent *lowest;
    struct extent *bins[EXTENT_LIVE][ARENA_BINS];
    uint64_t mapped_bytes, idle_bytes, live_peak;
    size_t live_count;
};

bool arenaOpen(struct arena *arena, const struct window *window, uintptr_t base, uint64_t size,
               struct arena_form form);
/* Unmaps everything and forgets every extent. */
void arenaClose(struct arena *arena);

/* A live extent of at least `span` bytes that maps at most `budget` bytes more; NULL if none. */
struct extent *arenaTake(struct arena *arena, uint64_t span, uint64_t budget);
void arenaGive(struct arena *arena, struct extent *extent);
/* Gives the idle pages back. */
void arenaTrim(struct arena *arena);

bool arenaHolds(const struct arena *arena, uintptr_t address);
/* The number of mapped bytes of `length` from `address` on. */
uint64_t arenaReach(const struct arena *arena, uintptr_t address, uint64_t length);

#endif
