/* Events: their life, their numbers, their names for other processes. */
#include "capture.h"
#include "event.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "handles.h"

/* As many as the chip's table has (config/910_B_93/dev_info_reg.cc, stubEventCount). */
#define MOST_EVENTS 65536u

pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t events_changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t ids[MOST_EVENTS / 64]; /* a bit for each that is taken */
static uint32_t ids_taken;

static void prepare(void)
{
    conditionInit(&events_changed);
    ids[0] = 1; /* 0 means no id */
}

void eventsWake(void)
{
    pthread_once(&once, prepare);
    pthread_mutex_lock(&events_lock);
    pthread_cond_broadcast(&events_changed);
    pthread_mutex_unlock(&events_lock);
}

bool eventTakeId(struct event *event)
{
    for (uint32_t i = 0; i < MOST_EVENTS / 64 && event->id == 0; i++) {
        if (ids[i] != UINT64_MAX) {
            uint32_t bit = (uint32_t)__builtin_ctzll(~ids[i]);
            ids[i] |= 1ull << bit;
            event->id = i * 64 + bit;
            ids_taken++;
        }
    }
    return event->id != 0;
}

static void giveId(struct event *event)
{
    if (event->id != 0) {
        ids[event->id / 64] &= ~(1ull << event->id % 64);
        ids_taken--;
    }
}

bool eventIsRecorded(const struct event *event)
{
    return event->recorded != 0;
}

bool eventIsDone(const struct event *event, uint64_t generation)
{
    const struct point *point = event->queued;
    while (point && point->generation != generation) {
        point = point->next;
    }
    return !point;
}

bool eventOnlyMarks(const struct event *event)
{
    return (event->flags & (EVENT_ORDERS | ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC)) == 0;
}

bool eventIsCaptured(const struct event *event)
{
    return event->captured && captureIsActive(event->captured);
}

void eventLetGo(struct event *event)
{
    if (--event->holders == 0) {
        giveId(event);
        markEnd(event->shared);
        free(event);
    }
}

aclError eventAcquire(aclrtEvent handle, struct event **event)
{
    if (!handleAlive(HANDLE_EVENT, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    pthread_mutex_lock(&events_lock);
    *event = handle;
    return ACL_SUCCESS;
}

static struct event *eventNew(uint32_t flags, bool extended)
{
    struct event *event = calloc(1, sizeof *event);
    if (!event || !handleAdd(HANDLE_EVENT, event)) {
        free(event);
        return NULL;
    }
    *event = (struct event){.flags = flags, .extended = extended, .holders = 1};
    return event;
}

/* Known flags and valid combinations (api_error.cc, EventCreate and EventCreateEx). */
static aclError flagsAccepted(uint32_t flags, bool extended)
{
    const uint32_t mixing = EVENT_ORDINARY | ACL_EVENT_SYNC;
    const uint32_t single = ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | (extended ? ACL_EVENT_IPC : 0);
    const uint32_t known = mixing | (extended ? ACL_EVENT_IPC : single);
    bool alone = (flags & single) == 0 || (flags & (flags - 1)) == 0;
    if (!alone || (flags & known) == 0 || flags > known) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return flags == ACL_EVENT_DEVICE_USE_ONLY ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_SUCCESS;
}

aclError aclsimEventCreate(aclrtEvent *handle, uint32_t flags, bool extended)
{
    pthread_once(&once, prepare);
    aclError code = flagsAccepted(flags, extended);
    if (code == ACL_ERROR_RT_PARAM_INVALID || !contextCurrent()) {
        return code == ACL_ERROR_RT_PARAM_INVALID ? code : ACL_ERROR_RT_CONTEXT_NULL;
    }
    struct event *event = code == ACL_SUCCESS ? eventNew(flags, extended) : NULL;
    if (!event) {
        return code == ACL_SUCCESS ? ACL_ERROR_RT_NO_EVENT_RESOURCE : code;
    }
    pthread_mutex_lock(&events_lock);
    event->shared = flags == ACL_EVENT_IPC ? markNew(true) : NULL;
    /* Others have a number from their first record on (api_impl.cc, EventCreate). */
    bool given = extended || flags == EVENT_ORDINARY ? flags != ACL_EVENT_IPC || event->shared : eventTakeId(event);
    pthread_mutex_unlock(&events_lock);
    if (!given) {
        (void)rtEventDestroy(event);
        return ACL_ERROR_RT_NO_EVENT_RESOURCE;
    }
    *handle = event;
    return ACL_SUCCESS;
}

aclError rtEventDestroy(aclrtEvent handle)
{
    if (!handleDrop(HANDLE_EVENT, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    pthread_mutex_lock(&events_lock);
    eventLetGo(handle);
    pthread_mutex_unlock(&events_lock);
    return ACL_SUCCESS;
}

aclError rtEventGetId(aclrtEvent handle, uint32_t *id)
{
    struct event *event;
    aclError code = eventAcquire(handle, &event);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (event->shared) {
        code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    } else if (event->id == 0) {
        code = ACL_ERROR_RT_INTERNAL_ERROR;
    }
    *id = event->id;
    pthread_mutex_unlock(&events_lock);
    return code;
}

aclError rtEventAvailable(uint32_t *count)
{
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    pthread_mutex_lock(&events_lock);
    *count = MOST_EVENTS - 1 - ids_taken;
    pthread_mutex_unlock(&events_lock);
    return ACL_SUCCESS;
}

aclError rtIpcGetEventHandle(aclrtEvent handle, char *name, size_t room)
{
    struct event *event;
    aclError code = eventAcquire(handle, &event);
    if (code != ACL_SUCCESS) {
        return code;
    }
    memset(name, 0, room);
    bool named = event->shared && markName(event->shared, name, room);
    pthread_mutex_unlock(&events_lock);
    return named ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

aclError rtIpcOpenEventHandle(const char *name, aclrtEvent *handle)
{
    pthread_once(&once, prepare);
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    struct shared_mark *shared = markOpen(name);
    struct event *event = shared ? eventNew(ACL_EVENT_IPC, true) : NULL;
    if (!event) {
        markEnd(shared);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    event->shared = shared;
    *handle = event;
    return ACL_SUCCESS;
}
