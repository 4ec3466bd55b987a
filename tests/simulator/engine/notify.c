/* Notifies: a plain one is a count that is 0 or 1. Records, waits and resets take their turn in their streams. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "event.h"
#include "handles.h"

struct notify {
    unsigned holders;
    uint32_t id;
    _Atomic uint32_t own, *count; /* its own one, or the one that processes share */
    struct shared_mark *shared;
};

/* How often a wait looks at a count that another process may change. */
#define LOOK_NS 1000000

struct step {
    struct notify *notify;
    aclrtCntNotifyRecordInfo record;
    aclrtCntNotifyWaitInfo wait;
};

static _Atomic uint32_t next_id;

static enum handle_kind kindOf(bool counting)
{
    return counting ? HANDLE_COUNT_NOTIFY : HANDLE_NOTIFY;
}

/* The lock is held. */
static void letGo(struct notify *notify)
{
    if (--notify->holders == 0) {
        markEnd(notify->shared);
        free(notify);
    }
}

static aclError create(aclrtNotify *handle, bool counting, struct shared_mark *shared)
{
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    eventsWake(); /* prepares the condition */
    struct notify *notify = calloc(1, sizeof *notify);
    if (!notify || !handleAdd(kindOf(counting), notify)) {
        free(notify);
        return ACL_ERROR_RT_NO_NOTIFY_RESOURCE;
    }
    notify->holders = 1;
    notify->id = next_id++;
    notify->shared = shared;
    notify->count = shared ? markCount(shared) : &notify->own;
    *handle = notify;
    return ACL_SUCCESS;
}

aclError aclsimNotifyCreate(aclrtNotify *handle, bool counting)
{
    return create(handle, counting, NULL);
}

/* Once: a notify has one name (notify.cc, CreateIpcNotify). */
aclError rtNotifyGetExportKey(aclrtNotify handle, char *key, size_t room, bool open)
{
    struct notify *notify = handle;
    if (!handleAlive(HANDLE_NOTIFY, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    pthread_mutex_lock(&events_lock);
    if (!notify->shared && (notify->shared = markNew(open))) {
        *markCount(notify->shared) = notify->own;
        notify->count = markCount(notify->shared);
    }
    bool named = notify->shared && markName(notify->shared, key, room);
    if (named && open) {
        markAllowAll(notify->shared);
    }
    pthread_mutex_unlock(&events_lock);
    return named ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

aclError rtNotifyImportByKey(aclrtNotify *handle, const char *key)
{
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    struct shared_mark *shared = markOpen(key);
    aclError code = shared ? create(handle, false, shared) : ACL_ERROR_RT_PARAM_INVALID;
    if (code != ACL_SUCCESS) {
        markEnd(shared);
    }
    return code;
}

aclError rtNotifySetImportPid(aclrtNotify handle, const int32_t *pids, size_t count)
{
    struct notify *notify = handle;
    if (!handleAlive(HANDLE_NOTIFY, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    return notify->shared && markAllow(notify->shared, pids, count) ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

aclError aclsimNotifyDestroy(aclrtNotify handle, bool counting)
{
    if (!handleDrop(kindOf(counting), handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    pthread_mutex_lock(&events_lock);
    letGo(handle);
    pthread_mutex_unlock(&events_lock);
    return ACL_SUCCESS;
}

aclError aclsimNotifyId(aclrtNotify handle, bool counting, uint32_t *id)
{
    if (!handleAlive(kindOf(counting), handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *id = ((struct notify *)handle)->id;
    return ACL_SUCCESS;
}

aclError aclsimNotifyReset(aclrtNotify handle)
{
    if (!handleAlive(HANDLE_NOTIFY, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    pthread_mutex_lock(&events_lock);
    *((struct notify *)handle)->count = 0;
    pthread_mutex_unlock(&events_lock);
    return ACL_SUCCESS;
}

static aclError runRecord(void *argument)
{
    struct step *step = argument;
    _Atomic uint32_t *count = step->notify->count;
    pthread_mutex_lock(&events_lock);
    switch (step->record.mode) {
    case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
        *count += step->record.value;
        break;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
        *count |= step->record.value;
        break;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE:
        *count &= step->record.value;
        break;
    default:
        *count = step->record.value;
    }
    pthread_cond_broadcast(&events_changed);
    pthread_mutex_unlock(&events_lock);
    return ACL_SUCCESS;
}

static bool isMet(const struct step *step)
{
    uint32_t count = *step->notify->count;
    uint32_t value = step->wait.value;
    switch (step->wait.mode) {
    case ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE:
        return count < value;
    case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE:
        return count == value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE:
        return count > value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE:
        return count >= value;
    default:
        return (count & value) == value;
    }
}

static aclError runWait(void *argument)
{
    struct step *step = argument;
    struct stream *stream = streamSelf();
    struct timespec deadline;
    deadlineIn(&deadline, (int32_t)(step->wait.timeout < 1000000 ? step->wait.timeout : 1000000) * 1000);
    pthread_mutex_lock(&events_lock);
    bool late = false;
    while (!isMet(step) && !stream->abandoned && !late) {
        if (step->notify->shared) {
            struct timespec now;
            pthread_mutex_unlock(&events_lock);
            nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
            pthread_mutex_lock(&events_lock);
            clock_gettime(CLOCK_MONOTONIC, &now);
            late = step->wait.timeout && (now.tv_sec > deadline.tv_sec ||
                                          (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec));
        } else if (step->wait.timeout) {
            late = pthread_cond_timedwait(&events_changed, &events_lock, &deadline) == ETIMEDOUT;
        } else {
            pthread_cond_wait(&events_changed, &events_lock);
        }
    }
    bool met = isMet(step) || stream->abandoned;
    if (met && step->wait.isClear) {
        *step->notify->count = 0;
    }
    pthread_mutex_unlock(&events_lock);
    return met ? ACL_SUCCESS : ACL_ERROR_RT_TASK_TIMEOUT;
}

static void drop(void *argument)
{
    struct step *step = argument;
    pthread_mutex_lock(&events_lock);
    letGo(step->notify);
    pthread_mutex_unlock(&events_lock);
    free(step);
}

static aclError queue(aclrtNotify handle, bool counting, struct step form, aclError (*run)(void *), aclrtStream stream)
{
    if (!handleAlive(kindOf(counting), handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    struct step *step = malloc(sizeof *step);
    if (!step) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *step = form;
    step->notify = handle;
    pthread_mutex_lock(&events_lock);
    step->notify->holders++;
    pthread_mutex_unlock(&events_lock);
    return aclsimEnqueue(stream, run, drop, step);
}

aclError aclsimNotifyRecord(aclrtNotify notify, bool counting, aclrtCntNotifyRecordInfo info, aclrtStream stream)
{
    return queue(notify, counting, (struct step){.record = info}, runRecord, stream);
}

aclError aclsimNotifyWait(aclrtNotify notify, bool counting, aclrtCntNotifyWaitInfo info, aclrtStream stream)
{
    return queue(notify, counting, (struct step){.wait = info}, runWait, stream);
}
