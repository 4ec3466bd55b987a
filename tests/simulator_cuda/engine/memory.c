/* Blocks of the address spaces, and how work reaches bytes. */
#include "memory.h"

#include "pool.h"


struct region *memoryNew(CUcontext context, int space, enum region_kind kind, size_t size, unsigned flags)
{
    const uintptr_t start = spaceTake(space, size);
    if (!start) {
        return NULL;
    }
    struct region *region = regionAdd(&(struct region){
        .base = start, .size = size, .alias = spaceAlias(space, start), .kind = kind, .context = context,
        .device = context->device, .flags = flags});
    if (!region) {
        spaceGive(space, start, size);
    }
    return region;
}

void memoryEnd(struct region *region)
{
    const struct region old = *region;
    regionRemove(region);
    switch (old.kind) {
    case REGION_DEVICE:
        spaceGive(old.device, old.base, old.size);
        break;
    case REGION_PINNED:
        spaceGive(SPACE_PINNED, old.base, old.size);
        break;
    case REGION_MANAGED:
        spaceGive(SPACE_MANAGED, old.base, old.size);
        break;
    default: /* registered memory is the program's, pooled memory the pool's */
        break;
    }
}

static bool isContexts(const struct region *region, CUcontext context)
{
    const enum region_kind kind = region->kind;
    return region->context == context && (kind == REGION_DEVICE || kind == REGION_PINNED || kind == REGION_MANAGED ||
                                          kind == REGION_REGISTERED);
}

void memoryForget(CUcontext context)
{
    for (size_t i = regionCount(); i-- > 0;) {
        if (isContexts(regionAt(i), context)) {
            memoryEnd(regionAt(i));
        }
    }
}

bool isDeviceAddress(uintptr_t address)
{
    const struct region *region = regionFind(address);
    const int space = spaceOf(address);
    return region ? region->kind == REGION_DEVICE || region->kind == REGION_POOLED : space >= 0 && space < SPACE_PINNED;
}

bool isPageable(uintptr_t address)
{
    return !regionFind(address) && spaceOf(address) < 0;
}

bool isDeviceRange(uintptr_t address, size_t size)
{
    const struct region *region = regionFind(address);
    return region && size <= region->base + region->size - address;
}

char *memoryReach(uintptr_t address, size_t *size)
{
    char *bytes = NULL;
    pthread_mutex_lock(&driver_lock);
    const struct region *region = regionFind(address);
    if (region) {
        const size_t left = region->base + region->size - address;
        *size = *size < left ? *size : left;
        bytes = region->alias + (address - region->base);
    } else if (isPageable(address)) {
        const struct region *after = regionAfter(address);
        bytes = (char *)address;
        if (after && after->base - address < *size) {
            *size = after->base - address;
        }
    } else {
        const int space = spaceOf(address);
        const size_t left = space < SPACE_PINNED ? poolReach(space, address) : 0;
        *size = *size < left ? *size : left;
        bytes = left ? spaceAlias(space, address) : NULL;
    }
    pthread_mutex_unlock(&driver_lock);
    return bytes;
}
