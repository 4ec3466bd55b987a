/* A meeting is one collective or one message. Every member's stream joins with its part and waits until all have joined; the
 * last one moves the bytes. */
#include "group.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../compute/device_window.h"

enum { PATIENCE_S = 20 }; /* for a member that never comes */

struct meeting {
    struct meeting *next;
    uint64_t key[3]; /* of a collective: its number; of a message: its number, from and to */
    uint32_t members, here, gone;
    const struct part *parts[RANKS];
    bool is_over;
    aclError result;
};

struct group {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t size, holders;
    struct meeting *meetings;
};

struct arrival {
    struct group *group;
    uint64_t key[3];
    uint32_t member, members;
    struct part part;
};

struct group *groupNew(uint32_t size, struct rank *ranks[])
{
    struct group *group = calloc(1, sizeof *group);
    if (group == NULL) {
        return NULL;
    }
    pthread_mutex_init(&group->lock, NULL);
    pthread_cond_init(&group->changed, NULL);
    group->size = size;
    for (; group->holders < size; group->holders++) {
        ranks[group->holders] = calloc(1, sizeof **ranks);
        if (ranks[group->holders] == NULL) {
            abort();
        }
        ranks[group->holders]->group = group;
        ranks[group->holders]->number = group->holders;
    }
    return group;
}

uint32_t groupSize(const struct group *group)
{
    return group->size;
}

/* The caller holds the lock, or no other thread can access it any more. */
static void release(struct group *group)
{
    bool is_last = --group->holders == 0;
    pthread_mutex_unlock(&group->lock);
    if (is_last) {
        pthread_cond_destroy(&group->changed);
        pthread_mutex_destroy(&group->lock);
        free(group);
    }
}

void groupLeave(struct rank *rank)
{
    pthread_mutex_lock(&rank->group->lock);
    release(rank->group);
    free(rank);
}

static long double combined(HcclReduceOp op, long double one, long double other)
{
    switch (op) {
    case HCCL_REDUCE_PROD: return one * other;
    case HCCL_REDUCE_MAX: return one > other ? one : other;
    case HCCL_REDUCE_MIN: return one < other ? one : other;
    default: return one + other;
    }
}

/* What member `to` takes of member `from`. Reduced pieces come into `sum`, which starts as the first of them. */
static aclError fetch(const struct meeting *meeting, uint32_t from, uint32_t to, unsigned char *into, bool is_first)
{
    const struct part *giver = meeting->parts[from], *taker = meeting->parts[to];
    uint64_t bytes = taker->take.bytes[from] < giver->give.bytes[to] ? taker->take.bytes[from] : giver->give.bytes[to];
    if (bytes == 0) {
        return ACL_SUCCESS;
    }
    const unsigned char *bytes_from = deviceWindow(giver->give.at[to], bytes);
    if (bytes_from == NULL) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    if (!taker->is_reduced || is_first) {
        memcpy(into, bytes_from, bytes);
        return ACL_SUCCESS;
    }
    struct view sum = {.type = taker->type, .bytes = into};
    struct view more = {.type = taker->type, .bytes = (unsigned char *)bytes_from};
    for (int64_t i = 0; i < (int64_t)(bytes / elementBytes(taker->type)); i++) {
        elementPut(&sum, i, combined(taker->op, elementGet(&sum, i), elementGet(&more, i)));
    }
    return ACL_SUCCESS;
}

/* Everything is read before anything is written: a rank may take where it gives. */
static aclError move(const struct meeting *meeting)
{
    unsigned char *staged[RANKS][RANKS] = {{NULL}};
    aclError result = ACL_SUCCESS;
    for (uint32_t to = 0; to < meeting->members; to++) {
        const struct part *taker = meeting->parts[to];
        for (uint32_t from = 0; from < meeting->members && result == ACL_SUCCESS; from++) {
            uint32_t slot = taker->is_reduced ? 0 : from;
            if (taker->take.bytes[from] == 0) {
                continue;
            }
            bool is_first = staged[to][slot] == NULL;
            if (is_first) {
                staged[to][slot] = calloc(1, taker->take.bytes[from]);
            }
            result = staged[to][slot] == NULL ? ACL_ERROR_RT_MEMORY_ALLOCATION
                                              : fetch(meeting, from, to, staged[to][slot], is_first);
        }
    }
    for (uint32_t to = 0; to < meeting->members; to++) {
        for (uint32_t from = 0; from < meeting->members; from++) {
            const struct pieces *take = &meeting->parts[to]->take;
            if (staged[to][from] != NULL && result == ACL_SUCCESS) {
                void *into = deviceWindow(take->at[from], take->bytes[from]);
                result = into == NULL ? ACL_ERROR_RT_AICORE_EXCEPTION : ACL_SUCCESS;
                if (into != NULL) {
                    memcpy(into, staged[to][from], take->bytes[from]);
                }
            }
            free(staged[to][from]);
        }
    }
    return result;
}

static struct meeting *meetingOf(struct arrival *arrival)
{
    struct group *group = arrival->group;
    for (struct meeting *meeting = group->meetings; meeting != NULL; meeting = meeting->next) {
        if (memcmp(meeting->key, arrival->key, sizeof meeting->key) == 0) {
            return meeting;
        }
    }
    struct meeting *meeting = calloc(1, sizeof *meeting);
    if (meeting != NULL) {
        memcpy(meeting->key, arrival->key, sizeof meeting->key);
        meeting->members = arrival->members;
        meeting->next = group->meetings;
        group->meetings = meeting;
    }
    return meeting;
}

static void forget(struct group *group, struct meeting *gone)
{
    struct meeting **at = &group->meetings;
    while (*at != gone) {
        at = &(*at)->next;
    }
    *at = gone->next;
    free(gone);
}

static aclError meet(void *argument)
{
    struct arrival *arrival = argument;
    struct group *group = arrival->group;
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&group->lock);
    struct meeting *meeting = meetingOf(arrival);
    if (meeting == NULL) {
        pthread_mutex_unlock(&group->lock);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    meeting->parts[arrival->member] = &arrival->part;
    if (++meeting->here == meeting->members && !meeting->is_over) {
        meeting->result = move(meeting);
        meeting->is_over = true;
        pthread_cond_broadcast(&group->changed);
    }
    int waited = 0;
    while (!meeting->is_over && waited == 0) {
        waited = pthread_cond_timedwait(&group->changed, &group->lock, &deadline);
    }
    aclError result = meeting->is_over ? meeting->result : ACL_ERROR_RT_AICORE_TIMEOUT;
    /* A part goes with who waited for nothing: nobody may look at it any more. */
    if (!meeting->is_over) {
        meeting->is_over = true;
        meeting->result = result;
        pthread_cond_broadcast(&group->changed);
    }
    if (++meeting->gone == meeting->here) {
        forget(group, meeting);
    }
    pthread_mutex_unlock(&group->lock);
    return result;
}

static void drop(void *argument)
{
    struct arrival *arrival = argument;
    pthread_mutex_lock(&arrival->group->lock);
    release(arrival->group);
    free(arrival);
}

static HcclResult queue(struct arrival form, aclrtStream stream)
{
    struct arrival *arrival = malloc(sizeof *arrival);
    if (arrival == NULL) {
        return HCCL_E_MEMORY;
    }
    *arrival = form;
    pthread_mutex_lock(&form.group->lock);
    form.group->holders++;
    pthread_mutex_unlock(&form.group->lock);
    if (aclsimEnqueue(stream, meet, drop, arrival) != ACL_SUCCESS) {
        drop(arrival);
        return HCCL_E_RUNTIME;
    }
    return HCCL_SUCCESS;
}

HcclResult groupJoin(struct rank *rank, const struct part *part, aclrtStream stream)
{
    return queue(
        (struct arrival){
            .group = rank->group,
            .key = {rank->collectives++, RANKS, RANKS},
            .member = rank->number,
            .members = rank->group->size,
            .part = *part,
        },
        stream);
}

HcclResult groupMessage(struct rank *rank, uint32_t other, bool is_sender, void *buffer, uint64_t bytes,
                        aclrtStream stream)
{
    struct arrival arrival = {.group = rank->group, .member = is_sender ? 0 : 1, .members = 2};
    if (is_sender) {
        arrival.part.give = (struct pieces){.at = {[1] = buffer}, .bytes = {[1] = bytes}};
        memcpy(arrival.key, (uint64_t[]){rank->sent[other]++, rank->number, other}, sizeof arrival.key);
    } else {
        arrival.part.take = (struct pieces){.at = {[0] = buffer}, .bytes = {[0] = bytes}};
        memcpy(arrival.key, (uint64_t[]){rank->received[other]++, other, rank->number}, sizeof arrival.key);
    }
    return queue(arrival, stream);
}
