/* A collective: each rank puts what it gives into its memory file, waits until all have come, and takes what is for it.
 *
 * What is given is copied before a rank comes, and taken after all have come: a rank may take where it gives. */
#include "group.h"

#include <stdlib.h>
#include <string.h>

#include "../compute/device_window.h"
#include "alive.h"

struct arrival {
    struct rank *rank;
    uint64_t number;
    bool has_run; /* a graph runs its tasks again */
    struct part part;
};

/* Pieces that are the same for all others are copied once. */
static bool isCopied(const struct pieces *give, uint32_t to)
{
    return to > 0 && give->at[to] == give->at[to - 1] && give->bytes[to] == give->bytes[to - 1];
}

/* The offer of this rank. */
static aclError offer(struct staging *staging, const struct part *part, uint32_t size, struct offer *offer)
{
    const struct pieces *give = &part->give;
    uint64_t end = 0;
    for (uint32_t to = 0; to < size; to++) {
        bool is_copied = isCopied(give, to);
        offer->at[to] = is_copied ? offer->at[to - 1] : end;
        offer->bytes[to] = give->bytes[to];
        end += is_copied ? 0 : (give->bytes[to] + 63) / 64 * 64;
    }
    if (!stagingReserve(staging, end)) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    for (uint32_t to = 0; to < size; to++) {
        if (give->bytes[to] == 0 || isCopied(give, to)) {
            continue;
        }
        const void *from = deviceWindow(give->at[to], give->bytes[to]);
        if (from == NULL) {
            return ACL_ERROR_RT_AICORE_EXCEPTION;
        }
        memcpy(staging->bytes + offer->at[to], from, give->bytes[to]);
    }
    offer->file = staging->file;
    offer->size = staging->size;
    return ACL_SUCCESS;
}

static aclError takeFrom(struct rank *rank, uint32_t number, uint32_t from, const struct part *part)
{
    const struct offer *offer = &rank->segment->slots[number].offers[from];
    uint64_t wanted = part->take.bytes[from], given = offer->bytes[rank->number];
    uint64_t bytes = wanted < given ? wanted : given;
    if (bytes == 0) {
        return ACL_SUCCESS;
    }
    const unsigned char *source =
        from == rank->number
            ? rank->slots[number].bytes
            : borrow(&rank->given[number][from], rank->segment->seats[from].process, offer->file, offer->size);
    void *into = deviceWindow(part->take.at[from], wanted);
    if (source == NULL || into == NULL) {
        return into == NULL ? ACL_ERROR_RT_AICORE_EXCEPTION : ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    }
    source += offer->at[rank->number];
    if (part->is_reduced && from > 0) {
        combine(part->type, part->op, into, source, bytes);
    } else {
        memcpy(into, source, bytes);
    }
    return ACL_SUCCESS;
}

static aclError take(struct rank *rank, uint32_t number, const struct part *part)
{
    aclError result = ACL_SUCCESS;
    /* One rank's fault is everybody's. */
    for (uint32_t from = 0; from < rank->size && result == ACL_SUCCESS; from++) {
        result = rank->segment->slots[number].offers[from].fault;
    }
    for (uint32_t from = 0; from < rank->size && result == ACL_SUCCESS; from++) {
        result = takeFrom(rank, number, from, part);
    }
    return result;
}

/* Waits until the numbers of all ranks are at least `number`. */
static aclError awaitAll(struct rank *rank, struct slot *slot, const _Atomic uint64_t *numbers, uint64_t number)
{
    struct patience patience = patienceBegin(rank);
    for (;;) {
        uint32_t seen = atomic_load(&slot->changed), awaited = 0;
        for (uint32_t other = 0; other < rank->size; other++) {
            awaited |= (uint32_t)(atomic_load(&numbers[other]) < number) << other;
        }
        aclError code = awaited == 0 ? ACL_SUCCESS : rankWait(rank, &patience, &slot->changed, seen, awaited);
        if (awaited == 0 || code != ACL_SUCCESS) {
            return code;
        }
    }
}

/* Nobody goes on before all have taken: until then this rank's memory file is needed. */
static aclError meet(void *argument)
{
    struct arrival *arrival = argument;
    struct rank *rank = arrival->rank;
    if (arrival->has_run) {
        arrival->number = atomic_fetch_add(&rank->collectives, 1);
    }
    arrival->has_run = true;
    uint32_t number = (uint32_t)(arrival->number % SLOTS);
    uint64_t turn = arrival->number / SLOTS + 1;
    struct slot *slot = &rank->segment->slots[number];
    struct offer *mine = &slot->offers[rank->number];
    aclError result = awaitAll(rank, slot, slot->went, turn - 1);
    if (result != ACL_SUCCESS) {
        return result;
    }
    mine->fault = offer(&rank->slots[number], &arrival->part, rank->size, mine);
    atomic_store(&slot->came[rank->number], turn);
    wake(&slot->changed);
    result = awaitAll(rank, slot, slot->came, turn);
    if (result == ACL_SUCCESS) {
        result = take(rank, number, &arrival->part);
        atomic_store(&slot->went[rank->number], turn);
        wake(&slot->changed);
        aclError end = awaitAll(rank, slot, slot->went, turn);
        result = result == ACL_SUCCESS ? end : result;
    }
    return result;
}

static void drop(void *argument)
{
    struct arrival *arrival = argument;
    rankLeave(arrival->rank);
    free(arrival);
}

HcclResult groupJoin(struct rank *rank, const struct part *part, aclrtStream stream)
{
    struct arrival *arrival = malloc(sizeof *arrival);
    if (arrival == NULL) {
        return HCCL_E_MEMORY;
    }
    *arrival = (struct arrival){.rank = rank, .number = atomic_fetch_add(&rank->collectives, 1), .part = *part};
    rankHold(rank);
    return aclsimEnqueue(stream, meet, drop, arrival) == ACL_SUCCESS ? HCCL_SUCCESS : HCCL_E_RUNTIME;
}
