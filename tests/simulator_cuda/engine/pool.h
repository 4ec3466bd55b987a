/* Pools of stream-ordered memory: segments of device memory, cut into pieces. */
#ifndef CUSIM_POOL_H
#define CUSIM_POOL_H

#include "stream.h"

struct piece;

struct CUmemPoolHandle_st {
    CUmemoryPool next;      /* of all that exist */
    int device;
    bool is_default, is_destroyed;
    int reuse[3];           /* follow event dependencies, opportunistic, internal dependencies */
    uint64_t threshold, most;
    uint64_t reserved, reserved_high, used, used_high;
    struct piece *pieces;   /* in order of addresses */
};

/* NULL without memory. */
CUmemoryPool poolNew(int device, uint64_t most);
CUmemoryPool poolDefault(int device);
CUmemoryPool poolCurrent(int device);
void poolSetCurrent(int device, CUmemoryPool pool);
/* Its memory goes once nothing of it is in use. */
void poolEnd(CUmemoryPool pool);

CUresult poolTake(CUmemoryPool pool, CUstream stream, size_t size, CUdeviceptr *address);
/* `point.stream` is NULL where the device has been waited for. */
void poolGive(CUmemoryPool pool, uintptr_t address, struct point point);
/* Segments that are free as the host knows go, down to `keep` bytes. */
void poolTrim(CUmemoryPool pool, uint64_t keep);
/* The bytes of a segment from the address on; 0 if no pool has it. Work that is queued before a release still reaches
 * them, and work after it, too: pages of a pool are there until it gives them back. */
size_t poolReach(int device, uintptr_t address);
/* After a synchronization: releases that it has seen need no order any more, and thresholds hold. */
void poolsObserve(int device);

#endif
