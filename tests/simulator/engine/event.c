/* Events. Each record opens a new generation; a wait that is queued keeps the
 * generation that was the latest when it was called. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "handles.h"
#include "stream.h"

struct event {
    uint32_t flags;
    bool extended;             /* made by the Ex form: unrecorded counts as complete */
    unsigned holders;          /* the handle, and every queued task */
    uint64_t recorded, done;   /* generations */
    uint64_t cleared;          /* generation that a reset has wiped */
    uint64_t waits, waits_done;
    uint64_t done_ns;
};

struct point {
    struct event *event;
    uint64_t generation;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void)
{
    conditionInit(&changed);
}

void eventsWake(void)
{
    pthread_once(&once, prepare);
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static uint64_t now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static bool isRecorded(const struct event *event)
{
    return event->recorded != event->cleared;
}

/* The lock is held. */
static void letGo(struct event *event)
{
    if (--event->holders == 0) {
        free(event);
    }
}

/* Takes the lock when it succeeds. */
static aclError acquire(aclrtEvent handle, struct event **event)
{
    if (!handleAlive(HANDLE_EVENT, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    pthread_mutex_lock(&lock);
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
    pthread_mutex_lock(&lock);
    letGo(handle);
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

static void completePoint(struct event *event, uint64_t generation)
{
    if (generation > event->done) {
        event->done = generation;
        event->done_ns = now();
    }
    pthread_cond_broadcast(&changed);
}

static aclError runRecord(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&lock);
    completePoint(point->event, point->generation);
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

/* Also when the stream is dropped by force: nobody may wait for it forever. */
static void dropRecord(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&lock);
    completePoint(point->event, point->generation);
    letGo(point->event);
    pthread_mutex_unlock(&lock);
    free(point);
}

static aclError runReset(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&lock);
    point->event->cleared = point->generation;
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

static void dropReset(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&lock);
    letGo(point->event);
    pthread_mutex_unlock(&lock);
    free(point);
}

static aclError runWait(void *argument)
{
    struct point *point = argument;
    struct stream *stream = streamSelf();
    pthread_mutex_lock(&lock);
    while (point->event->done < point->generation && !stream->abandoned) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

static void dropWait(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&lock);
    point->event->waits_done++;
    pthread_mutex_unlock(&lock);
    dropReset(point);
}

/* The lock is held, and stays so: two records must queue in the order of their generations. */
static aclError queue(struct event *event, struct stream *stream, uint64_t generation, aclError (*run)(void *),
                      void (*drop)(void *))
{
    struct point *point = malloc(sizeof *point);
    if (!point) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *point = (struct point){event, generation};
    aclError code = streamPush(stream, run, drop, point);
    if (code != ACL_SUCCESS) {
        free(point);
        return code;
    }
    event->holders++;
    return ACL_SUCCESS;
}

aclError rtEventRecord(aclrtEvent handle, aclrtStream stream_handle)
{
    struct stream *stream;
    struct event *event;
    aclError code = streamOf(stream_handle, &stream);
    code = code == ACL_SUCCESS ? acquire(handle, &event) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    code = queue(event, stream, event->recorded + 1, runRecord, dropRecord);
    event->recorded += code == ACL_SUCCESS;
    pthread_mutex_unlock(&lock);
    return code;
}

aclError rtEventReset(aclrtEvent handle, aclrtStream stream_handle)
{
    struct stream *stream;
    struct event *event;
    aclError code = streamOf(stream_handle, &stream);
    code = code == ACL_SUCCESS ? acquire(handle, &event) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    code = queue(event, stream, event->recorded, runReset, dropReset);
    pthread_mutex_unlock(&lock);
    return code;
}

aclError rtStreamWaitEvent(aclrtStream stream_handle, aclrtEvent handle)
{
    struct stream *stream;
    struct event *event;
    aclError code = streamOf(stream_handle, &stream);
    code = code == ACL_SUCCESS ? acquire(handle, &event) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (!isRecorded(event)) {
        code = event->extended ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
    } else {
        code = queue(event, stream, event->recorded, runWait, dropWait);
        event->waits += code == ACL_SUCCESS;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

aclError aclsimEventQuery(aclrtEvent handle, bool *complete)
{
    struct event *event;
    aclError code = acquire(handle, &event);
    if (code == ACL_SUCCESS) {
        *complete = !isRecorded(event) || event->done >= event->recorded;
        pthread_mutex_unlock(&lock);
    }
    return code;
}

aclError aclsimEventQueryStatus(aclrtEvent handle, bool *recorded)
{
    struct event *event;
    aclError code = acquire(handle, &event);
    if (code == ACL_SUCCESS) {
        *recorded = isRecorded(event) ? event->done >= event->recorded : event->extended;
        pthread_mutex_unlock(&lock);
    }
    return code;
}

aclError aclsimEventQueryWaitStatus(aclrtEvent handle, bool *complete)
{
    struct event *event;
    aclError code = acquire(handle, &event);
    if (code == ACL_SUCCESS) {
        *complete = event->waits_done == event->waits;
        pthread_mutex_unlock(&lock);
    }
    return code;
}

aclError rtEventSynchronizeWithTimeout(aclrtEvent handle, int32_t timeout)
{
    struct event *event;
    struct timespec deadline;
    deadlineIn(&deadline, timeout > 0 ? timeout : 0);
    aclError code = acquire(handle, &event);
    if (code != ACL_SUCCESS) {
        return code;
    }
    event->holders++;
    uint64_t target = isRecorded(event) ? event->recorded : 0;
    int waited = 0;
    while (event->done < target && waited != ETIMEDOUT) {
        waited = timeout < 0 ? pthread_cond_wait(&changed, &lock) : pthread_cond_timedwait(&changed, &lock, &deadline);
    }
    code = event->done >= target ? ACL_SUCCESS : ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
    letGo(event);
    pthread_mutex_unlock(&lock);
    return code;
}

static aclError timestamp(aclrtEvent handle, uint64_t *nanoseconds)
{
    struct event *event;
    aclError code = acquire(handle, &event);
    if (code != ACL_SUCCESS) {
        return code;
    }
    bool timed = event->flags == 0 || (event->flags & ACL_EVENT_TIME_LINE) != 0;
    if (!isRecorded(event)) {
        code = ACL_ERROR_RT_INTERNAL_ERROR;
    } else if (!timed || event->done < event->recorded) {
        code = ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID;
    }
    *nanoseconds = event->done_ns;
    pthread_mutex_unlock(&lock);
    return code;
}

aclError rtEventElapsedTime(float *ms, aclrtEvent start, aclrtEvent end)
{
    uint64_t from, to;
    aclError code = timestamp(start, &from);
    code = code == ACL_SUCCESS ? timestamp(end, &to) : code;
    if (code == ACL_SUCCESS) {
        *ms = (float)((double)(int64_t)(to - from) / 1e6);
    }
    return code;
}

aclError rtEventGetTimeStamp(uint64_t *microseconds, aclrtEvent handle)
{
    uint64_t nanoseconds;
    aclError code = timestamp(handle, &nanoseconds);
    if (code == ACL_SUCCESS) {
        *microseconds = nanoseconds / 1000;
    }
    return code;
}
