/* Ranks that do their n-th collective together, in one process or in several. */
#ifndef SIMULATOR_HCCL_GROUP_H
#define SIMULATOR_HCCL_GROUP_H

#include <pthread.h>

#include "../compute/tensor.h"
#include "staging.h"

/* Pieces that one rank gives to the others, or takes from them: a piece of `bytes[r]` at `at[r]` for each rank r. */
struct pieces {
    const unsigned char *at[RANKS];
    uint64_t bytes[RANKS];
};

struct part {
    struct pieces give, take;
    bool is_reduced; /* pieces that meet at one place are combined */
    HcclReduceOp op;
    aclDataType type;
};

struct message {
    uint32_t other;
    bool is_sent;
    void *buffer;
    uint64_t bytes;
    uint64_t number; /* among those from one rank to the other */
};

/* A communicator's handle. */
struct rank {
    struct segment *segment;
    uint32_t number, size;
    unsigned patience_s;           /* for a rank that never comes */
    _Atomic uint32_t holders;      /* the handle, and each queued task */
    _Atomic uint64_t collectives;  /* queued by this rank so far */
    _Atomic uint64_t sent[RANKS], received[RANKS];
    struct staging slots[SLOTS], letters[RANKS];
    struct borrowed given[SLOTS][RANKS], mail[RANKS];
    char name[128];
};

/* rank.c. Takes a seat, and waits until `size` ranks have theirs if `is_awaited`. The segment is the rank's, or closed. */
HcclResult rankJoin(struct segment *segment, uint32_t number, uint32_t size, bool is_awaited, struct rank **rank);
void rankHold(struct rank *rank);
void rankLeave(struct rank *rank);
/* One wait: its end, and a bit for each rank that was found gone. */
struct patience {
    uint64_t deadline;
    uint32_t gone;
};

struct patience patienceBegin(const struct rank *rank);
/* Waits for a moment, or until the word changes. An error past the deadline, or if one of the ranks in `awaited`, a bit each, will
 * not come any more. */
aclError rankWait(struct rank *rank, struct patience *patience, _Atomic uint32_t *word, uint32_t seen, uint32_t awaited);

/* combine.c: `into` becomes `into` and `more`, combined. */
void combine(aclDataType type, HcclReduceOp op, void *into, const void *more, uint64_t bytes);

/* meeting.c. Queues this rank's part of its next collective. */
HcclResult groupJoin(struct rank *rank, const struct part *part, aclrtStream stream);
/* message.c. Queues messages that go on together, whatever their order. */
HcclResult groupMessages(struct rank *rank, const struct message *messages, uint32_t count, aclrtStream stream);

#endif
