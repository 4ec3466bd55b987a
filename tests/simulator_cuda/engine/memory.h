/* Every range of addresses that the driver knows, and the bytes there. */
#ifndef CUSIM_MEMORY_H
#define CUSIM_MEMORY_H

#include "state.h"

/* Starts of blocks, and what their sizes are rounded up to. */
#define BLOCK_GRANULE 512

enum region_kind {
    REGION_DEVICE, REGION_POOLED, REGION_PINNED, REGION_REGISTERED, REGION_MANAGED
};

struct region {
    uintptr_t base;
    size_t size;
    char *alias;            /* the same bytes for us: always readable and writable */
    enum region_kind kind;
    CUcontext context;
    int device;
    unsigned flags;
    uint64_t id;
    CUmemoryPool pool;      /* of pooled memory */
};

/* Address spaces: one a device, then pinned and managed memory. */
#define SPACE_PINNED MAX_DEVICES
#define SPACE_MANAGED (MAX_DEVICES + 1)

bool spaceOpen(int space);
/* 0 without memory. */
uintptr_t spaceTake(int space, size_t size);
void spaceGive(int space, uintptr_t start, size_t size);
char *spaceAlias(int space, uintptr_t address);
/* The space that has the address, or -1. */
int spaceOf(uintptr_t address);
uint64_t spaceUsed(int space);

/* NULL without memory; it is the table's. */
struct region *regionAdd(const struct region *region);
void regionRemove(struct region *region);
/* The one that has the address, or that starts there. */
struct region *regionFind(uintptr_t address);
struct region *regionStart(uintptr_t address);
/* The first that ends after the address. */
struct region *regionAfter(uintptr_t address);
bool regionsOverlap(uintptr_t start, size_t size);
/* All of them, in order of addresses. */
size_t regionCount(void);
struct region *regionAt(size_t index);

/* A new block of `kind` in a space; NULL if there is no memory for it. */
struct region *memoryNew(CUcontext context, int space, enum region_kind kind, size_t size, unsigned flags);
void memoryEnd(struct region *region);
/* Drops a context's blocks. */
void memoryForget(CUcontext context);

/* Takes the lock. The bytes at an address and how many of `size` follow it; NULL where no memory is. Addresses that
 * the driver does not know are the program's own. */
char *memoryReach(uintptr_t address, size_t *size);
/* Whether the address is of a device, not memory that the host can touch. */
bool isDeviceAddress(uintptr_t address);
bool isPageable(uintptr_t address);
/* Whether device code may use the whole range now. */
bool isDeviceRange(uintptr_t address, size_t size);

#endif
