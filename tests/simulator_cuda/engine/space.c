/* Address spaces: holes in order of addresses, first fit. Device memory is a window that the program cannot touch. */
#include <stdlib.h>
#include <string.h>

#include "../../simulator/engine/window.h"
#include "memory.h"

#define PAGE 4096
/* Where mappings are on 64-bit Linux, also under ThreadSanitizer; each space has 512 GiB from its start on. */
#define FIRST_SPACE 0x7e9000000000ull
#define SPACE_STEP (1ull << 39)

struct hole {
    uintptr_t start;
    size_t size;
};

struct space {
    struct window window;
    struct hole *holes;
    size_t count, room;
    uint64_t used, capacity;
    bool is_open;
};

static struct space spaces[MAX_DEVICES + 2];

static bool insertHole(struct space *space, size_t at, struct hole hole)
{
    if (space->count == space->room) {
        const size_t room = space->room ? 2 * space->room : 16;
        struct hole *holes = realloc(space->holes, room * sizeof *holes);
        if (!holes) {
            return false;
        }
        space->holes = holes;
        space->room = room;
    }
    memmove(&space->holes[at + 1], &space->holes[at], (space->count - at) * sizeof hole);
    space->holes[at] = hole;
    space->count++;
    return true;
}

static void removeHole(struct space *space, size_t at)
{
    space->count--;
    memmove(&space->holes[at], &space->holes[at + 1], (space->count - at) * sizeof *space->holes);
}

bool spaceOpen(int index)
{
    struct space *space = &spaces[index];
    if (space->is_open) {
        return true;
    }
    const bool is_host = index >= SPACE_PINNED;
    space->capacity = deviceCapacity();
    /* Twice the capacity: free memory in pieces must not look like none. */
    if (!windowReserve(&space->window, FIRST_SPACE + (uint64_t)index * SPACE_STEP, 2 * space->capacity + (1ull << 30), is_host)) {
        return false;
    }
    space->is_open = insertHole(space, 0, (struct hole){space->window.base, space->window.size});
    return space->is_open;
}

/* The host protects whole pages. */
static size_t span(int index, size_t size)
{
    const size_t granule = index >= SPACE_PINNED ? PAGE : BLOCK_GRANULE;
    return (size + granule - 1) & ~(granule - 1);
}

uintptr_t spaceTake(int index, size_t size)
{
    struct space *space = &spaces[index];
    if (size == 0 || size > deviceCapacity() || !spaceOpen(index)) {
        return 0;
    }
    size = span(index, size);
    if (size > space->capacity - space->used) {
        return 0;
    }
    for (size_t i = 0; i < space->count; i++) {
        struct hole *hole = &space->holes[i];
        if (hole->size < size) {
            continue;
        }
        const uintptr_t start = hole->start;
        if (!windowMap(&space->window, start, size)) {
            return 0;
        }
        hole->start += size;
        hole->size -= size;
        if (hole->size == 0) {
            removeHole(space, i);
        }
        space->used += size;
        return start;
    }
    return 0;
}

void spaceGive(int index, uintptr_t start, size_t size)
{
    struct space *space = &spaces[index];
    size = span(index, size);
    /* Blocks share pages: only those that are whole in this one lose their bytes. */
    const uintptr_t first = (start + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    const uintptr_t end = (start + size) & ~(uintptr_t)(PAGE - 1);
    if (first < end) {
        windowUnmap(&space->window, first, end - first);
    }
    space->used -= size;
    size_t at = 0;
    while (at < space->count && space->holes[at].start < start) {
        at++;
    }
    struct hole *before = at > 0 ? &space->holes[at - 1] : NULL;
    struct hole *after = at < space->count ? &space->holes[at] : NULL;
    const bool joins_before = before && before->start + before->size == start;
    const bool joins_after = after && start + size == after->start;
    if (joins_before) {
        before->size += size + (joins_after ? after->size : 0);
        if (joins_after) {
            removeHole(space, at);
        }
    } else if (joins_after) {
        after->start = start;
        after->size += size;
    } else {
        insertHole(space, at, (struct hole){start, size}); /* if it fails, the range is only lost */
    }
}

char *spaceAlias(int index, uintptr_t address)
{
    return windowAlias(&spaces[index].window, address);
}

int spaceOf(uintptr_t address)
{
    for (int i = 0; i < MAX_DEVICES + 2; i++) {
        if (spaces[i].is_open && windowHolds(&spaces[i].window, address)) {
            return i;
        }
    }
    return -1;
}

uint64_t spaceUsed(int index)
{
    return spaces[index].used;
}
