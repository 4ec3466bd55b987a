/* Virtual memory: handles to memory without addresses, reserved ranges, and mappings
 * between them. Memory is a file of its own, so that one handle can be mapped twice
 * and another process can map it too. */
#ifndef ACLSIM_VIRTUAL_H
#define ACLSIM_VIRTUAL_H

#include "context.h"

#define HUGE_PAGE (2ull << 20)
#define GIANT_PAGE (1ull << 30)

/* The target of aclrtDrvMemHandle. Never freed: a stale handle stays readable. */
struct physical {
    struct physical *next;
    int file;               /* -1: the memory is gone */
    uint64_t size;          /* as asked for */
    uint64_t charged;       /* whole pages of the device's memory; 0 for imported memory */
    uint64_t page;
    int32_t device;         /* -1: host memory */
    unsigned references;    /* the program's and one for each mapping */
    unsigned maps;
    bool imported;
    aclrtPhysicalMemProp prop; /* as requested; partly known for imported memory */
    uint64_t share;         /* the shareable handle, 0 if it was not exported */
};

struct mapping {
    struct mapping *next;   /* by address */
    uintptr_t start;
    uint64_t size;
    struct physical *physical;
    bool accessible;
    uint32_t peers;         /* other devices that aclrtMemSetAccess let in, a bit each */
};

/* A reserved range. The simulator accesses mapped memory through its alias. */
struct range {
    struct range *next;     /* by address */
    uintptr_t base;
    uint64_t size;
    char *alias;
    struct mapping *mappings;
};

/* Guards everything here. Taken before a heap's lock, never after it. */
void virtualLock(void);
void virtualUnlock(void);

/* The lock is held by callers of these (reservation.c, mapping.c, physical.c). */
struct range *rangeOf(uintptr_t address);
bool rangeReleased(uintptr_t address);
struct mapping *mappingOf(struct range *range, uintptr_t address);
struct mapping *mappingAt(uintptr_t start);
void mappingEnd(struct range *range, struct mapping *mapping);
struct range *rangesAll(void);
bool physicalKnown(const struct physical *physical);
struct physical *physicalNew(int file, uint64_t size, uint64_t page, int32_t device);
/* Drops a reference; the last one frees the memory. */
void physicalDrop(struct physical *physical);

/* share.c: forgets what other processes may open. */
void shareEnd(struct physical *physical);

/* The interface for the rest of the engine; these take the lock. */
/* Whether a range was ever reserved, without the lock, which all threads share. */
bool virtualAny(void);
bool virtualHolds(uintptr_t address);
bool virtualIsHost(uintptr_t address);
bool virtualFind(uintptr_t address, struct block *block, int32_t *device);
/* Where the bytes are, and how many of them are mapped and accessible in one run. NULL for
 * addresses that never were a range's. */
char *virtualView(uintptr_t address, uint64_t length, uint64_t *reach);
/* A device is closed: its memory is freed even if handles exist. */
void virtualDropDevice(int32_t device);

#endif
