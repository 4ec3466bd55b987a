/* Two ranks of one process, each with a device and a stream. */
#ifndef PROGRAMS_RANKS_H
#define PROGRAMS_RANKS_H
#include "../rt.h"
#include "hccl/hccl.h"

enum { RANKS = 2 };

static HcclComm comms[RANKS];
static aclrtStream queues[RANKS];

static inline void on(int rank) {
    MUST(aclrtSetDevice(rank));
}

static inline void beginRanks(void) {
    int32_t devices[] = {0, 1};
    MUST(aclInit(NULL));
    MUST(HcclCommInitAll(RANKS, devices, comms));
    for (int rank = 0; rank < RANKS; rank++) {
        on(rank);
        MUST(aclrtCreateStream(&queues[rank]));
    }
}

/* For each rank `r`, on its device. */
#define EACH(statement)                     \
    for (int r = 0; r < RANKS; r++) {       \
        on(r);                              \
        statement;                          \
    }

static inline void wait(void) {
    EACH(aclrtSynchronizeStream(queues[r]))
}

static inline void endRanks(void) {
    for (int rank = 0; rank < RANKS; rank++) {
        MUST(HcclCommDestroy(comms[rank]));
        on(rank);
        MUST(aclrtDestroyStream(queues[rank]));
        MUST(aclrtResetDeviceForce(rank));
    }
    MUST(aclFinalize());
}
#endif
