/* A list in address order: programs have a handful of such ranges. */
#define _GNU_SOURCE
#include "foreign.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "context.h"
#include "settings.h"

#define WANTED_BASE 0x11c000000000ull
#define WINDOW_BYTES (256ull << 30)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct foreign *ranges;
static _Atomic uintptr_t window;

static bool reserve(void)
{
    if (!window) {
        uint64_t bytes = WINDOW_BYTES / settings()->narrow;
        void *view = mmap((void *)WANTED_BASE, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (view == MAP_FAILED) {
            return false;
        }
        madvise(view, bytes, MADV_DONTDUMP);
        window = (uintptr_t)view;
    }
    return true;
}

static uintptr_t roundUp(uintptr_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

uintptr_t foreignAdd(struct foreign form)
{
    struct foreign *added = malloc(sizeof *added);
    uintptr_t base = 0;
    pthread_mutex_lock(&lock);
    if (added && reserve()) {
        struct foreign **at = &ranges;
        base = roundUp(window, form.page);
        while (*at && (*at)->base < base + form.size + form.page) {
            base = roundUp((*at)->base + (*at)->size, form.page);
            at = &(*at)->next;
        }
        if (base + form.size > window + WINDOW_BYTES) {
            base = 0;
        } else {
            form.base = base;
            form.next = *at;
            *added = form;
            *at = added;
        }
    }
    pthread_mutex_unlock(&lock);
    if (!base) {
        free(added);
    }
    return base;
}

bool foreignDrop(uintptr_t base)
{
    struct foreign *gone = NULL;
    pthread_mutex_lock(&lock);
    for (struct foreign **at = &ranges; *at && !gone; at = gone ? at : &(*at)->next) {
        if ((*at)->base == base) {
            gone = *at;
            *at = gone->next;
        }
    }
    pthread_mutex_unlock(&lock);
    if (gone && gone->kind == FOREIGN_IMPORTED) {
        munmap(gone->bytes, gone->size);
    }
    free(gone);
    return gone != NULL;
}

bool foreignHolds(uintptr_t address)
{
    return window && address - window < WINDOW_BYTES;
}

bool foreignFind(uintptr_t address, struct foreign *range)
{
    bool found = false;
    if (!foreignHolds(address)) {
        return false;
    }
    pthread_mutex_lock(&lock);
    for (struct foreign *at = ranges; at && !found; at = at->next) {
        found = address - at->base < at->size;
        if (found) {
            *range = *at;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* The program may have unmapped registered memory: a device that accesses it traps. */
static uint64_t mappedBytes(uintptr_t start, uint64_t size)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    unsigned char resident;
    for (uintptr_t at = start / page * page; at < start + size; at += page) {
        if (mincore((void *)at, page, &resident) != 0) {
            return at > start ? at - start : 0;
        }
    }
    return size;
}

void *foreignView(uintptr_t address, uint64_t size, uint64_t *reach)
{
    struct foreign range;
    *reach = 0;
    if (!foreignFind(address, &range)) {
        return (void *)address;
    }
    uint64_t offset = address - range.base;
    char *bytes = range.bytes + offset;
    uint64_t left = range.size - offset;
    size = size < left ? size : left;
    struct heap *heap = range.kind == FOREIGN_REGISTERED ? heapOf((uintptr_t)bytes) : NULL;
    if (heap) {
        *reach = heapReach(heap, (uintptr_t)bytes, size);
        return windowAlias(&heap->window, (uintptr_t)bytes);
    }
    *reach = range.kind == FOREIGN_REGISTERED ? mappedBytes((uintptr_t)bytes, size) : size;
    return bytes;
}
