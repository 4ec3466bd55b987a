/* Messages between two ranks: a sender is done when its receiver has taken the bytes. Those of one task go on in any order. */
#include "group.h"

#include <stdlib.h>
#include <string.h>

#include "../compute/device_window.h"
#include "alive.h"

enum stage { STAGE_QUEUED, STAGE_SENT, STAGE_DONE };

struct item {
    struct message message;
    enum stage stage;
};

struct post {
    struct rank *rank;
    uint32_t count;
    bool has_run; /* a graph runs its tasks again */
    struct item items[];
};

static struct letter *letterOf(const struct rank *rank, const struct message *message)
{
    uint32_t from = message->is_sent ? rank->number : message->other;
    uint32_t to = message->is_sent ? message->other : rank->number;
    return &rank->segment->letters[from][to];
}

static aclError write(struct rank *rank, const struct message *message, struct letter *letter)
{
    struct staging *staging = &rank->letters[message->other];
    if (!stagingReserve(staging, message->bytes)) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    if (message->bytes > 0) {
        const void *from = deviceWindow(message->buffer, message->bytes);
        if (from == NULL) {
            return ACL_ERROR_RT_AICORE_EXCEPTION;
        }
        memcpy(staging->bytes, from, message->bytes);
    }
    letter->file = staging->file;
    letter->size = staging->size;
    letter->bytes = message->bytes;
    return ACL_SUCCESS;
}

static aclError take(struct rank *rank, const struct message *message, const struct letter *letter)
{
    uint64_t bytes = message->bytes < letter->bytes ? message->bytes : letter->bytes;
    if (letter->fault != ACL_SUCCESS || bytes == 0) {
        return letter->fault;
    }
    void *into = deviceWindow(message->buffer, message->bytes);
    if (into == NULL) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    const unsigned char *from = borrow(&rank->mail[message->other], rank->segment->seats[message->other].process,
                                       letter->file, letter->size);
    if (from == NULL) {
        return ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    }
    memcpy(into, from, bytes);
    return ACL_SUCCESS;
}

/* One step of a message, if the other end lets it; whether there was one. */
static bool advance(struct rank *rank, struct item *item, aclError *result)
{
    const struct message *message = &item->message;
    struct letter *letter = letterOf(rank, message);
    uint64_t before = message->number, after = before + 1;
    if (item->stage == STAGE_QUEUED && message->is_sent && atomic_load(&letter->went) >= before) {
        letter->fault = write(rank, message, letter);
        atomic_store(&letter->came, after);
        item->stage = STAGE_SENT;
    } else if (item->stage == STAGE_QUEUED && !message->is_sent && atomic_load(&letter->came) >= after) {
        letter->answer = take(rank, message, letter);
        *result = letter->answer;
        atomic_store(&letter->went, after);
        item->stage = STAGE_DONE;
    } else if (item->stage == STAGE_SENT && atomic_load(&letter->went) >= after) {
        *result = letter->answer;
        item->stage = STAGE_DONE;
        return true;
    } else {
        return false;
    }
    wake(&rank->segment->seats[message->other].mail);
    return true;
}

static void again(struct post *post)
{
    for (uint32_t i = 0; i < post->count; i++) {
        struct message *message = &post->items[i].message;
        struct rank *rank = post->rank;
        message->number = atomic_fetch_add(&(message->is_sent ? rank->sent : rank->received)[message->other], 1);
        post->items[i].stage = STAGE_QUEUED;
    }
}

static aclError deliver(void *argument)
{
    struct post *post = argument;
    struct rank *rank = post->rank;
    _Atomic uint32_t *mail = &rank->segment->seats[rank->number].mail;
    struct patience patience = patienceBegin(rank);
    aclError first = ACL_SUCCESS;
    if (post->has_run) {
        again(post);
    }
    post->has_run = true;
    for (;;) {
        uint32_t seen = atomic_load(mail), awaited = 0;
        bool has_moved = false;
        for (uint32_t i = 0; i < post->count; i++) {
            aclError result = ACL_SUCCESS;
            has_moved |= advance(rank, &post->items[i], &result);
            first = first == ACL_SUCCESS ? result : first;
            awaited |= (uint32_t)(post->items[i].stage != STAGE_DONE) << post->items[i].message.other;
        }
        if (awaited == 0) {
            return first;
        }
        aclError code = has_moved ? ACL_SUCCESS : rankWait(rank, &patience, mail, seen, awaited);
        if (code != ACL_SUCCESS) {
            return code;
        }
    }
}

static void drop(void *argument)
{
    struct post *post = argument;
    rankLeave(post->rank);
    free(post);
}

HcclResult groupMessages(struct rank *rank, const struct message *messages, uint32_t count, aclrtStream stream)
{
    struct post *post = calloc(1, sizeof *post + count * sizeof post->items[0]);
    if (post == NULL) {
        return HCCL_E_MEMORY;
    }
    post->rank = rank;
    post->count = count;
    for (uint32_t i = 0; i < count; i++) {
        post->items[i].message = messages[i];
    }
    again(post);
    rankHold(rank);
    return aclsimEnqueue(stream, deliver, drop, post) == ACL_SUCCESS ? HCCL_SUCCESS : HCCL_E_RUNTIME;
}
