/* What the ranks of a communicator share, whatever process they are in: a memory file that each of them maps.
 *
 * Nobody holds a lock in it: each word has one writer, and numbers only grow. A process that is killed leaves nothing half done. */
#ifndef SIMULATOR_HCCL_SEGMENT_H
#define SIMULATOR_HCCL_SEGMENT_H

#include <stdatomic.h>

#include "../engine.h"
#include "hccl/hccl.h"

/* SLOTS: collectives of one communicator that may be under way at once, on several streams. */
enum { RANKS = 16, SLOTS = 4 };

enum seat_state { SEAT_EMPTY, SEAT_CLAIMED, SEAT_TAKEN, SEAT_LEFT };

struct seat {
    _Atomic uint32_t state;
    _Atomic uint32_t mail; /* changes when a message to or from this rank goes on */
    int32_t process;
    uint64_t birth;
};

/* What a rank gives in a collective: places in a memory file of its process. */
struct offer {
    int32_t file;
    aclError fault;
    uint64_t size; /* of the file */
    uint64_t at[RANKS], bytes[RANKS];
};

struct slot {
    _Atomic uint32_t changed;
    _Atomic uint64_t came[RANKS], went[RANKS]; /* each rank's latest collective in this slot, counted from 1 */
    struct offer offers[RANKS];
};

/* A message from one rank to another: `came` is written by its sender, `went` and `answer` by its receiver. */
struct letter {
    _Atomic uint64_t came, went;
    int32_t file;
    aclError fault, answer;
    uint64_t size, bytes;
};

struct segment {
    uint64_t magic, nonce;
    _Atomic uint32_t size;    /* how many ranks; 0 until the first one comes */
    _Atomic uint32_t changed; /* when somebody takes a seat */
    _Atomic uint32_t lost;    /* a bit for each rank that is dead or gave up */
    struct seat seats[RANKS];
    struct slot slots[SLOTS];
    struct letter letters[RANKS][RANKS];
};

/* A new segment, and its name for other processes. False without memory. */
bool segmentNew(HcclRootInfo *info);
/* NULL when it is no such thing, or its process is gone. */
struct segment *segmentOpen(const HcclRootInfo *info);
void segmentClose(struct segment *segment);
/* All ranks have come: the file that others open the segment by is closed, if it is this process's. */
void segmentForget(const HcclRootInfo *info);

/* A file of another process, read only. NULL when it is gone. */
void *fileOfProcess(int32_t process, int32_t file, uint64_t size, bool is_written);

#endif
