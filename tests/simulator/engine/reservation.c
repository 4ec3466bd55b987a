/* Reserved ranges: addresses that are kept free and are empty until memory is mapped. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "virtual.h"

#define TIB(n) ((uint64_t)(n) << 40)

/* After the windows of 16 devices. */
#define FIRST_RANGE 0x1a8000000000ull
#define LAST_RANGE TIB(64)

/* Where a program may request a specific address. */
#define WISH_FROM TIB(16)
#define WISH_TO TIB(24)
#define UNCACHED_WISH_FROM TIB(40)
#define UNCACHED_WISH_TO TIB(224)

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static struct range *ranges;
/* Ranges that were released, until their addresses are reserved again: no host memory. */
static struct range *released;
static _Atomic bool any;

struct range *rangesAll(void)
{
    return ranges;
}

struct range *rangeOf(uintptr_t address)
{
    for (struct range *at = ranges; at; at = at->next) {
        if (address - at->base < at->size) {
            return at;
        }
    }
    return NULL;
}

bool rangeReleased(uintptr_t address)
{
    bool found = false;
    for (struct range *at = released; at; at = at->next) {
        found = found || address - at->base < at->size;
    }
    return found;
}

static void forgetReleased(uintptr_t base, uint64_t size)
{
    for (struct range **at = &released; *at;) {
        struct range *range = *at;
        if (range->base < base + size && base < range->base + range->size) {
            *at = range->next;
            free(range);
        } else {
            at = &range->next;
        }
    }
}

static bool reserveAt(uintptr_t wanted, uint64_t size)
{
    void *view = mmap((void *)wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                      -1, 0);
    if (view != MAP_FAILED && (uintptr_t)view != wanted) {
        munmap(view, size);
        return false;
    }
    return view != MAP_FAILED;
}

/* The lowest gap that is large enough; 0 if there is none. */
static uintptr_t reserveAnywhere(uint64_t size, uint64_t unit)
{
    uintptr_t wanted = FIRST_RANGE;
    for (struct range *at = ranges; at; at = at->next) {
        if (at->base + at->size <= wanted) {
            continue;
        }
        if (at->base >= wanted + size && reserveAt(wanted, size)) {
            return wanted;
        }
        wanted = (at->base + at->size + unit - 1) / unit * unit;
    }
    for (; wanted + size <= LAST_RANGE; wanted += (size + GIANT_PAGE - 1) / GIANT_PAGE * GIANT_PAGE) {
        if (reserveAt(wanted, size)) {
            return wanted;
        }
    }
    return 0;
}

static void insert(struct range *range)
{
    struct range **at = &ranges;
    while (*at && (*at)->base < range->base) {
        at = &(*at)->next;
    }
    range->next = *at;
    *at = range;
}

static uint64_t alignmentOf(uint64_t size)
{
    if (size > GIANT_PAGE / 2) {
        return GIANT_PAGE;
    }
    uint64_t unit = HUGE_PAGE;
    while (unit < size) {
        unit *= 2;
    }
    return unit;
}

static aclError wishAccepted(uintptr_t wish, uint64_t size, bool uncached)
{
    uintptr_t from = uncached ? UNCACHED_WISH_FROM : WISH_FROM;
    uintptr_t to = uncached ? UNCACHED_WISH_TO : WISH_TO;
    bool fits = wish >= from && wish < to && size <= to - wish && wish % alignmentOf(size) == 0;
    return fits ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

aclError rtReserveMemAddress(void **address, uint64_t size, uint64_t alignment, void *wish, bool uncached)
{
    if (alignment != 0 || size > TIB(32)) {
        return alignment ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    if (uncached && (size % GIANT_PAGE || !wish)) {
        return wish ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    aclError code = wish ? wishAccepted((uintptr_t)wish, size, uncached) : ACL_SUCCESS;
    if (code != ACL_SUCCESS) {
        return code;
    }
    size = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    struct range *range = calloc(1, sizeof *range);
    /* Readable and writable even where nothing is mapped: a copy may be under way there. */
    char *alias = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uintptr_t base = 0;
    virtualLock();
    if (range && alias != MAP_FAILED) {
        base = wish ? (reserveAt((uintptr_t)wish, size) ? (uintptr_t)wish : 0)
                    : reserveAnywhere(size, alignmentOf(size));
    }
    if (base) {
        madvise(alias, size, MADV_DONTDUMP);
        madvise((void *)base, size, MADV_DONTDUMP);
        *range = (struct range){.base = base, .size = size, .alias = alias};
        forgetReleased(base, size);
        insert(range);
        any = true;
        *address = (void *)base;
    }
    virtualUnlock();
    if (base) {
        return ACL_SUCCESS;
    }
    if (alias != MAP_FAILED) {
        munmap(alias, size);
    }
    free(range);
    return ACL_ERROR_RT_MEMORY_ALLOCATION;
}

aclError rtReleaseMemAddress(void *address)
{
    aclError code = ACL_ERROR_RT_PARAM_INVALID;
    virtualLock();
    struct range **at = &ranges;
    while (*at && (*at)->base != (uintptr_t)address) {
        at = &(*at)->next;
    }
    struct range *range = *at;
    if (range && range->mappings) {
        code = ACL_ERROR_RT_DRV_INTERNAL_ERROR; /* the driver finds it busy */
    } else if (range) {
        *at = range->next;
        munmap(range->alias, range->size);
        munmap((void *)range->base, range->size);
        range->alias = NULL;
        range->next = released;
        released = range;
        code = ACL_SUCCESS;
    }
    virtualUnlock();
    return code;
}

bool virtualAny(void)
{
    return any;
}

bool virtualHolds(uintptr_t address)
{
    if (!any) {
        return false;
    }
    virtualLock();
    bool holds = rangeOf(address) != NULL;
    virtualUnlock();
    return holds;
}
