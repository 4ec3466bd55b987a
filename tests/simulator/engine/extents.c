/* Extents by address and by size. */
#include "extents.h"

#include <stdlib.h>

/* Candidates looked at inside one size class before a larger class is taken. */
#define SEARCH_LIMIT 64

static unsigned binOf(const struct arena *arena, uint64_t span)
{
    uint64_t units = span / arena->form.granule;
    unsigned bin = 63u - (unsigned)__builtin_clzll(units | 1);
    return bin < ARENA_BINS ? bin : ARENA_BINS - 1;
}

static void binAdd(struct extent *extent)
{
    struct extent **head = &extent->arena->bins[extent->state][binOf(extent->arena, extent->span)];
    extent->bin_before = NULL;
    extent->bin_after = *head;
    if (*head) {
        (*head)->bin_before = extent;
    }
    *head = extent;
}

void extentRemove(struct extent *extent)
{
    if (extent->bin_before) {
        extent->bin_before->bin_after = extent->bin_after;
    } else {
        extent->arena->bins[extent->state][binOf(extent->arena, extent->span)] = extent->bin_after;
    }
    if (extent->bin_after) {
        extent->bin_after->bin_before = extent->bin_before;
    }
}

/* Last released first: a program that keeps a dangling pointer soon shares the bytes. */
struct extent *extentFind(struct arena *arena, enum extent_state state, uint64_t span)
{
    unsigned bin = binOf(arena, span);
    unsigned looked = 0;
    for (struct extent *at = arena->bins[state][bin]; at && looked < SEARCH_LIMIT; at = at->bin_after, looked++) {
        if (at->span >= span) {
            return at;
        }
    }
    for (bin++; bin < ARENA_BINS; bin++) {
        if (arena->bins[state][bin]) {
            return arena->bins[state][bin];
        }
    }
    return NULL;
}

static struct extent *insertAbove(struct extent *below, uint64_t offset)
{
    struct extent *extent = calloc(1, sizeof *extent);
    if (!extent) {
        return NULL;
    }
    extent->start = below->start + offset;
    extent->span = below->span - offset;
    extent->arena = below->arena;
    extent->below = below;
    extent->above = below->above;
    if (below->above) {
        below->above->below = extent;
    }
    below->above = extent;
    below->span = offset;
    return extent;
}

bool extentSplit(struct extent *extent, uint64_t offset)
{
    if (offset == 0 || offset == extent->span) {
        return true;
    }
    extentRemove(extent);
    struct extent *rest = insertAbove(extent, offset);
    binAdd(extent);
    if (!rest) {
        return false;
    }
    rest->state = extent->state;
    binAdd(rest);
    return true;
}

struct extent *extentCut(struct extent *extent, uint64_t offset)
{
    struct extent *rest = insertAbove(extent, offset);
    if (rest) {
        rest->state = extent->state;
    }
    return rest;
}

static struct extent *absorbAbove(struct extent *extent)
{
    struct extent *above = extent->above;
    extent->span += above->span;
    extent->above = above->above;
    if (above->above) {
        above->above->below = extent;
    }
    free(above);
    return extent;
}

struct extent *extentSettle(struct extent *extent, enum extent_state state)
{
    extent->state = state;
    if (extent->above && extent->above->state == state) {
        extentRemove(extent->above);
        absorbAbove(extent);
    }
    if (extent->below && extent->below->state == state) {
        extent = extent->below;
        extentRemove(extent);
        absorbAbove(extent);
    }
    binAdd(extent);
    return extent;
}
