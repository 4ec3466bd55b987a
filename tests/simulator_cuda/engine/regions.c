/* The table of known ranges, sorted by address. */
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static struct region **regions;
static size_t count, room;
static uint64_t last_id;

/* The first region that ends after the address. */
static size_t place(uintptr_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (regions[middle]->base + regions[middle]->size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct region *regionAdd(const struct region *wanted)
{
    if (count == room) {
        const size_t more = room ? 2 * room : 64;
        struct region **fresh = realloc(regions, more * sizeof *fresh);
        if (!fresh) {
            return NULL;
        }
        regions = fresh;
        room = more;
    }
    struct region *region = malloc(sizeof *region);
    if (!region) {
        return NULL;
    }
    *region = *wanted;
    region->id = ++last_id;
    const size_t at = place(region->base);
    memmove(&regions[at + 1], &regions[at], (count - at) * sizeof *regions);
    regions[at] = region;
    count++;
    return region;
}

void regionRemove(struct region *region)
{
    const size_t at = place(region->base);
    count--;
    memmove(&regions[at], &regions[at + 1], (count - at) * sizeof *regions);
    free(region);
}

struct region *regionAfter(uintptr_t address)
{
    const size_t at = place(address);
    return at < count ? regions[at] : NULL;
}

struct region *regionFind(uintptr_t address)
{
    struct region *region = regionAfter(address);
    return region && region->base <= address ? region : NULL;
}

struct region *regionStart(uintptr_t address)
{
    struct region *region = regionFind(address);
    return region && region->base == address ? region : NULL;
}

bool regionsOverlap(uintptr_t start, size_t size)
{
    const struct region *region = regionAfter(start);
    return region && region->base < start + size;
}

size_t regionCount(void)
{
    return count;
}

struct region *regionAt(size_t index)
{
    return regions[index];
}
