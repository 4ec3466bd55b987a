/* Events. Each record opens a new generation; a wait that is queued keeps the
 * generation that was the latest when it was called. */
#include "event.h"

#include <stdlib.h>
#include <time.h>

#include "handles.h"

struct point {
    struct event *event;
    uint64_t generation;
    struct point *next; /* of a record, while no stream has come to it */
};

pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t events_changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void)
{
    conditionInit(&events_changed);
}

void eventsWake(void)
{
    pthread_once(&once, prepare);
    pthread_mutex_lock(&events_lock);
    pthread_cond_broadcast(&events_changed);
    pthread_mutex_unlock(&events_lock);
}

static uint64_t now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

bool eventIsRecorded(const struct event *event)
{
    return event->recorded != event->cleared;
}

bool eventIsDone(const struct event *event, uint64_t generation)
{
    const struct point *point = event->queued;
    while (point && point->generation != generation) {
        point = point->next;
    }
    return !point;
}

void eventLetGo(struct event *event)
{
    if (--event->holders == 0) {
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

aclError aclsimEventCreate(aclrtEvent *handle, uint32_t flags, bool extended)
{
    pthread_once(&once, prepare);
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    struct event *event = calloc(1, sizeof *event);
    if (!event || !handleAdd(HANDLE_EVENT, event)) {
        free(event);
        return ACL_ERROR_RT_NO_EVENT_RESOURCE;
    }
    event->flags = flags;
    event->extended = extended;
    event->holders = 1;
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

static void completePoint(const struct point *point)
{
    struct event *event = point->event;
    struct point **at = &event->queued;
    while (*at && *at != point) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = point->next;
    }
    if (point->generation > event->done) {
        event->done = point->generation;
        event->done_ns = now();
    }
    pthread_cond_broadcast(&events_changed);
}

static aclError runRecord(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&events_lock);
    completePoint(point);
    pthread_mutex_unlock(&events_lock);
    return ACL_SUCCESS;
}

/* Also when the stream is dropped by force: nobody may wait for it forever. */
static void dropRecord(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&events_lock);
    completePoint(point);
    eventLetGo(point->event);
    pthread_mutex_unlock(&events_lock);
    free(point);
}

static aclError runReset(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&events_lock);
    point->event->cleared = point->generation;
    pthread_mutex_unlock(&events_lock);
    return ACL_SUCCESS;
}

static void dropReset(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&events_lock);
    eventLetGo(point->event);
    pthread_mutex_unlock(&events_lock);
    free(point);
}

static aclError runWait(void *argument)
{
    struct point *point = argument;
    struct stream *stream = streamSelf();
    pthread_mutex_lock(&events_lock);
    while (!eventIsDone(point->event, point->generation) && !stream->abandoned) {
        pthread_cond_wait(&events_changed, &events_lock);
    }
    pthread_mutex_unlock(&events_lock);
    return ACL_SUCCESS;
}

static void dropWait(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&events_lock);
    point->event->waits_done++;
    pthread_mutex_unlock(&events_lock);
    dropReset(point);
}

/* The lock is held, and stays so: two records must queue in the order of their generations. */
static aclError queue(struct event *event, struct stream *stream, uint64_t generation, aclError (*run)(void *),
                      void (*drop)(void *))
{
    if (stream->capture || stream->model) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; /* graphs of several streams that wait for each other are not modelled */
    }
    struct point *point = malloc(sizeof *point);
    if (!point) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *point = (struct point){event, generation, NULL};
    aclError code = streamPush(stream, run, drop, point);
    if (code != ACL_SUCCESS) {
        free(point);
        return code;
    }
    event->holders++;
    if (run == runRecord) {
        point->next = event->queued;
        event->queued = point;
    }
    return ACL_SUCCESS;
}

aclError rtEventRecord(aclrtEvent handle, aclrtStream stream_handle)
{
    struct stream *stream;
    struct event *event;
    aclError code = streamOf(stream_handle, &stream);
    code = code == ACL_SUCCESS ? eventAcquire(handle, &event) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    code = queue(event, stream, event->recorded + 1, runRecord, dropRecord);
    event->recorded += code == ACL_SUCCESS;
    pthread_mutex_unlock(&events_lock);
    return code;
}

aclError rtEventReset(aclrtEvent handle, aclrtStream stream_handle)
{
    struct stream *stream;
    struct event *event;
    aclError code = streamOf(stream_handle, &stream);
    code = code == ACL_SUCCESS ? eventAcquire(handle, &event) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    code = queue(event, stream, event->recorded, runReset, dropReset);
    pthread_mutex_unlock(&events_lock);
    return code;
}

aclError rtStreamWaitEvent(aclrtStream stream_handle, aclrtEvent handle)
{
    struct stream *stream;
    struct event *event;
    aclError code = streamOf(stream_handle, &stream);
    code = code == ACL_SUCCESS ? eventAcquire(handle, &event) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (!eventIsRecorded(event)) {
        code = event->extended ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
    } else {
        code = queue(event, stream, event->recorded, runWait, dropWait);
        event->waits += code == ACL_SUCCESS;
    }
    pthread_mutex_unlock(&events_lock);
    return code;
}
