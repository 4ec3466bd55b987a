/* Seats of a communicator: taking one, leaving it, and waiting for the others. */
#include "group.h"

#include <stdlib.h>
#include <unistd.h>

#include "alive.h"

/* HCCL_CONNECT_TIMEOUT and HCCL_EXEC_TIMEOUT, with CANN's defaults in seconds. */
enum { CONNECT_S = 120, EXECUTE_S = 1836 };

static bool isFull(const struct segment *segment, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        if (atomic_load(&segment->seats[i].state) < SEAT_TAKEN) {
            return false;
        }
    }
    return true;
}

/* A bit for each seat whose rank has come. */
static uint32_t present(const struct segment *segment, uint32_t size)
{
    uint32_t seats = 0;
    for (uint32_t i = 0; i < size; i++) {
        seats |= (uint32_t)(atomic_load(&segment->seats[i].state) >= SEAT_TAKEN) << i;
    }
    return seats;
}

static HcclResult awaitAll(struct rank *rank)
{
    struct segment *segment = rank->segment;
    struct patience patience = {.deadline = nowMs() + 1000ull * secondsOf("HCCL_CONNECT_TIMEOUT", CONNECT_S)};
    for (;;) {
        uint32_t seen = atomic_load(&segment->changed);
        if (isFull(segment, rank->size)) {
            return HCCL_SUCCESS;
        }
        aclError code = rankWait(rank, &patience, &segment->changed, seen, present(segment, rank->size));
        if (code != ACL_SUCCESS) {
            return code == ACL_ERROR_RT_AICORE_TIMEOUT ? HCCL_E_TIMEOUT : HCCL_E_REMOTE;
        }
    }
}

HcclResult rankJoin(struct segment *segment, uint32_t number, uint32_t size, bool is_awaited, struct rank **out)
{
    uint32_t none = 0, empty = SEAT_EMPTY;
    struct seat *seat = &segment->seats[number];
    struct rank *rank = calloc(1, sizeof *rank);
    bool is_size = atomic_compare_exchange_strong(&segment->size, &none, size) || none == size;
    if (rank == NULL || !is_size || !atomic_compare_exchange_strong(&seat->state, &empty, SEAT_CLAIMED)) {
        segmentClose(segment);
        HcclResult refusal = rank == NULL ? HCCL_E_MEMORY : HCCL_E_PARA;
        free(rank);
        return refusal;
    }
    rank->segment = segment;
    rank->number = number;
    rank->size = size;
    rank->patience_s = secondsOf("HCCL_EXEC_TIMEOUT", EXECUTE_S);
    rank->holders = 1;
    seat->process = getpid();
    seat->birth = birthOf(seat->process);
    atomic_store(&seat->state, SEAT_TAKEN);
    wake(&segment->changed);
    HcclResult result = is_awaited ? awaitAll(rank) : HCCL_SUCCESS;
    if (result != HCCL_SUCCESS) {
        rankLeave(rank);
        return result;
    }
    *out = rank;
    return HCCL_SUCCESS;
}

void rankHold(struct rank *rank)
{
    atomic_fetch_add(&rank->holders, 1);
}

void rankLeave(struct rank *rank)
{
    if (atomic_fetch_sub(&rank->holders, 1) > 1) {
        return;
    }
    struct segment *segment = rank->segment;
    atomic_store(&segment->seats[rank->number].state, SEAT_LEFT);
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        stagingEnd(&rank->slots[slot]);
        for (uint32_t other = 0; other < RANKS; other++) {
            borrowEnd(&rank->given[slot][other]);
        }
    }
    for (uint32_t other = 0; other < RANKS; other++) {
        stagingEnd(&rank->letters[other]);
        borrowEnd(&rank->mail[other]);
    }
    segmentClose(segment);
    free(rank);
}

static bool isGone(const struct segment *segment, uint32_t number)
{
    const struct seat *seat = &segment->seats[number];
    switch (atomic_load(&seat->state)) {
    case SEAT_LEFT: return true;
    case SEAT_TAKEN: return !isAlive(seat->process, seat->birth);
    default: return false;
    }
}

struct patience patienceBegin(const struct rank *rank)
{
    return (struct patience){.deadline = nowMs() + 1000ull * rank->patience_s};
}

aclError rankWait(struct rank *rank, struct patience *patience, _Atomic uint32_t *word, uint32_t seen, uint32_t awaited)
{
    _Atomic uint32_t *lost = &rank->segment->lost;
    /* Still awaited after it was found gone: what it did before its end has been looked at since. */
    atomic_fetch_or(lost, patience->gone & awaited);
    if (atomic_load(lost) & (awaited | 1u << rank->number)) {
        return ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    }
    if (nowMs() >= patience->deadline) {
        /* Whoever gives up is lost to the others: its number of collectives differs from theirs now. */
        atomic_fetch_or(lost, 1u << rank->number);
        return ACL_ERROR_RT_AICORE_TIMEOUT;
    }
    if (waitBriefly(word, seen)) {
        return ACL_SUCCESS;
    }
    for (uint32_t other = 0; other < rank->size; other++) {
        patience->gone |= (uint32_t)((awaited >> other & 1) && isGone(rank->segment, other)) << other;
    }
    return ACL_SUCCESS;
}
