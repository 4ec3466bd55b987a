/* Mappings: physical memory for a part of a reserved range. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "virtual.h"

struct mapping *mappingOf(struct range *range, uintptr_t address)
{
    for (struct mapping *at = range ? range->mappings : NULL; at; at = at->next) {
        if (address - at->start < at->size) {
            return at;
        }
    }
    return NULL;
}

struct mapping *mappingAt(uintptr_t start)
{
    struct mapping *mapping = mappingOf(rangeOf(start), start);
    return mapping && mapping->start == start ? mapping : NULL;
}

static bool overlaps(const struct range *range, uintptr_t start, uint64_t size)
{
    for (struct mapping *at = range->mappings; at; at = at->next) {
        if (start < at->start + at->size && at->start < start + size) {
            return true;
        }
    }
    return false;
}

/* One range takes one device's memory, and either this process's or another's. */
static bool mixes(const struct range *range, const struct physical *physical)
{
    const struct mapping *first = range->mappings;
    return first && (first->physical->device != physical->device || first->physical->imported != physical->imported);
}

static aclError mapAccepted(const struct range *range, uintptr_t start, uint64_t size, const struct physical *physical)
{
    if (!physicalKnown(physical) || !range || size > range->size - (start - range->base)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (size != physical->size || size % physical->page || start % physical->page || mixes(range, physical)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return overlaps(range, start, size) ? ACL_ERROR_RT_DRV_INTERNAL_ERROR : ACL_SUCCESS;
}

static bool isHostVisible(const struct physical *physical)
{
    return physical->device < 0 || aclsimSoc()->run_mode == ACL_DEVICE;
}

static bool placeFile(struct range *range, uintptr_t start, uint64_t size, const struct physical *physical)
{
    char *alias = range->alias + (start - range->base);
    int both = PROT_READ | PROT_WRITE;
    if (mmap(alias, size, both, MAP_SHARED | MAP_FIXED, physical->file, 0) == MAP_FAILED) {
        return false;
    }
    madvise(alias, size, MADV_DONTDUMP);
    return !isHostVisible(physical) ||
           mmap((void *)start, size, both, MAP_SHARED | MAP_FIXED, physical->file, 0) != MAP_FAILED;
}

static aclError map(struct range *range, uintptr_t start, uint64_t size, struct physical *physical, bool accessible)
{
    struct mapping *mapping = calloc(1, sizeof *mapping);
    if (!mapping || !placeFile(range, start, size, physical)) {
        free(mapping);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *mapping = (struct mapping){.start = start, .size = size, .physical = physical, .accessible = accessible};
    struct mapping **at = &range->mappings;
    while (*at && (*at)->start < start) {
        at = &(*at)->next;
    }
    mapping->next = *at;
    *at = mapping;
    physical->references++;
    physical->maps++;
    return ACL_SUCCESS;
}

aclError rtMapMem(void *address, uint64_t size, uint64_t offset, aclrtDrvMemHandle handle, bool accessible)
{
    if (offset != 0) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    uintptr_t start = (uintptr_t)address;
    virtualLock();
    struct range *range = rangeOf(start);
    aclError code = mapAccepted(range, start, size, handle);
    code = code == ACL_SUCCESS ? map(range, start, size, handle, accessible) : code;
    virtualUnlock();
    return code;
}

void mappingEnd(struct range *range, struct mapping *mapping)
{
    struct mapping **at = &range->mappings;
    while (*at != mapping) {
        at = &(*at)->next;
    }
    *at = mapping->next;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    mmap(range->alias + (mapping->start - range->base), mapping->size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (isHostVisible(mapping->physical)) {
        mmap((void *)mapping->start, mapping->size, PROT_NONE, flags, -1, 0);
    }
    mapping->physical->maps--;
    physicalDrop(mapping->physical);
    free(mapping);
}

aclError rtUnmapMem(void *address)
{
    virtualLock();
    struct mapping *mapping = mappingAt((uintptr_t)address);
    if (mapping) {
        mappingEnd(rangeOf((uintptr_t)address), mapping);
    }
    virtualUnlock();
    return mapping ? ACL_SUCCESS : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

/* Block by block, as the runtime does; blocks mapped before a refusal stay mapped. */
aclError rtMemMapSelectedLink(void *to, uint64_t size, void *from)
{
    aclError code = ACL_SUCCESS;
    virtualLock();
    for (uint64_t done = 0; done < size && code == ACL_SUCCESS;) {
        struct mapping *source = mappingAt((uintptr_t)from + done);
        if (!source) {
            code = ACL_ERROR_RT_PARAM_INVALID;
            break;
        }
        uintptr_t start = (uintptr_t)to + done;
        struct range *range = rangeOf(start);
        code = mapAccepted(range, start, source->size, source->physical);
        code = code == ACL_SUCCESS ? map(range, start, source->size, source->physical, true) : code;
        done += source->size;
    }
    virtualUnlock();
    return code;
}

static aclError grant(struct mapping *mapping, const aclrtMemAccessDesc *desc)
{
    int32_t id = (int32_t)desc->location.id;
    bool device = desc->location.type == ACL_MEM_LOCATION_TYPE_DEVICE;
    if ((desc->location.type == ACL_MEM_LOCATION_TYPE_HOST && id == 0) || (device && id == mapping->physical->device)) {
        mapping->accessible = true;
        return ACL_SUCCESS;
    }
    if (!device || !deviceAt(id)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    mapping->accessible = true;
    mapping->peers |= 1u << id;
    return ACL_SUCCESS;
}

aclError rtMemSetAccess(void *address, uint64_t size, const aclrtMemAccessDesc *desc, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (desc[i].flags != ACL_RT_MEM_ACCESS_FLAGS_READWRITE) {
            return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
        }
    }
    virtualLock();
    struct mapping *mapping = mappingAt((uintptr_t)address);
    bool whole = mapping && mapping->size == size && count > 0;
    aclError code = whole ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
    for (size_t i = 0; i < count && code == ACL_SUCCESS; i++) {
        code = grant(mapping, &desc[i]);
    }
    virtualUnlock();
    return code;
}

aclError rtMemGetAccess(void *address, const aclrtMemLocation *location, uint64_t *flags)
{
    virtualLock();
    struct mapping *mapping = mappingOf(rangeOf((uintptr_t)address), (uintptr_t)address);
    bool device = location->type == ACL_MEM_LOCATION_TYPE_DEVICE && location->id < 32;
    if (mapping) {
        bool own = device ? (int32_t)location->id == mapping->physical->device : mapping->physical->device < 0;
        bool may = own ? mapping->accessible : device && (mapping->peers >> location->id & 1);
        *flags = may ? ACL_RT_MEM_ACCESS_FLAGS_READWRITE : ACL_RT_MEM_ACCESS_FLAGS_NONE;
    }
    virtualUnlock();
    return mapping ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

bool virtualIsHost(uintptr_t address)
{
    virtualLock();
    struct mapping *mapping = mappingOf(rangeOf(address), address);
    bool host = mapping && mapping->physical->device < 0;
    virtualUnlock();
    return host;
}

bool virtualFind(uintptr_t address, struct block *block, int32_t *device)
{
    virtualLock();
    struct mapping *mapping = mappingOf(rangeOf(address), address);
    if (mapping) {
        *block = (struct block){mapping->start, mapping->size, mapping->physical->page};
        *device = mapping->physical->device;
    }
    virtualUnlock();
    return mapping != NULL;
}

char *virtualView(uintptr_t address, uint64_t length, uint64_t *reach)
{
    char *view = NULL;
    *reach = 0;
    if (!virtualAny()) {
        return NULL;
    }
    virtualLock();
    struct range *range = rangeOf(address);
    if (range) {
        uintptr_t at = address;
        struct mapping *mapping;
        view = range->alias + (address - range->base);
        while (at - address < length && (mapping = mappingOf(range, at)) != NULL && mapping->accessible) {
            at = mapping->start + mapping->size;
        }
        *reach = at - address < length ? at - address : length;
    } else if (rangeReleased(address)) {
        view = (char *)address; /* with nothing to reach there */
    }
    virtualUnlock();
    return view;
}
