/* Ranks that do their n-th collective together. */
#ifndef SIMULATOR_HCCL_GROUP_H
#define SIMULATOR_HCCL_GROUP_H

#include "../compute/tensor.h"
#include "../engine.h"
#include "hccl/hccl.h"

enum { RANKS = 16 };

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

struct group;

struct rank {
    struct group *group;
    uint32_t number;
    uint64_t collectives;        /* queued by this rank so far */
    uint64_t sent[RANKS], received[RANKS];
};

struct group *groupNew(uint32_t size, struct rank *ranks[]);
uint32_t groupSize(const struct group *group);
void groupLeave(struct rank *rank);

/* Queues this rank's part of its next collective. */
HcclResult groupJoin(struct rank *rank, const struct part *part, aclrtStream stream);
/* Queues one end of a message between two ranks. */
HcclResult groupMessage(struct rank *rank, uint32_t other, bool is_sender, void *buffer, uint64_t bytes,
                        aclrtStream stream);

#endif
