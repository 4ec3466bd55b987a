/* Pools, as their own files and the rest of the engine see them. */
#ifndef ACLSIM_POOL_H
#define ACLSIM_POOL_H

#include <pthread.h>

#include "../engine.h"

struct pool {
    struct pool *next;
    int32_t device;
    uint64_t most, threshold;
    uint64_t reserved, reserved_high, used, used_high;
    uint32_t follow_events, opportunistic, internal;
    struct piece *pieces;
};

extern pthread_mutex_t pools_lock;
/* The pool of a handle, or NULL; the lock is held. */
struct pool *poolOf(const void *handle);

/* Gives a block back to its pool at once, pages and all; false if the address is no start of a pool's block. */
bool poolRelease(uintptr_t address);
/* After a synchronize: releases pool memory above the thresholds that no queued work can use any more. */
void poolsSettle(void);
/* Before an allocation is retried: releases all memory without blocks, regardless of thresholds. */
void poolsGiveBack(void);
/* The device closes: its pools' handles are dead. */
void poolsForget(int32_t device);
/* Wakes the workers that wait for a release: one of them may have been abandoned. */
void poolsWake(void);

#endif
