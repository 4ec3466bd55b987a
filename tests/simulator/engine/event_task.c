/* Event operations in streams. Each record opens a new generation; a wait that is queued keeps the generation that was the
 * latest when it was called. */
#include "capture.h"
#include "event.h"
#include "kinds.h"

#include <stdlib.h>
#include <time.h>

static uint64_t now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
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
        event->set = true;
    }
    if (point->generation > event->done) {
        event->done = point->generation;
        event->done_ns = now();
    }
    if (event->shared) {
        markReach(event->shared, point->generation);
    }
    pthread_cond_broadcast(&events_changed);
}

static aclError runRecord(void *argument)
{
    pthread_mutex_lock(&events_lock);
    completePoint(argument);
    pthread_mutex_unlock(&events_lock);
    return ACL_SUCCESS;
}

static void dropPoint(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&events_lock);
    eventLetGo(point->event);
    pthread_mutex_unlock(&events_lock);
    free(point);
}

/* Also when the stream is dropped by force: nobody may wait for it forever. */
static void dropRecord(void *argument)
{
    (void)runRecord(argument);
    dropPoint(argument);
}

static aclError runReset(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&events_lock);
    point->event->set = false;
    pthread_mutex_unlock(&events_lock);
    return ACL_SUCCESS;
}

/* Other processes change a file and send no signal, so their events are polled every millisecond. */
static void waitForChange(const struct event *event)
{
    struct timespec deadline;
    deadlineIn(&deadline, 1);
    if (event->shared) {
        pthread_cond_timedwait(&events_changed, &events_lock, &deadline);
    } else {
        pthread_cond_wait(&events_changed, &events_lock);
    }
}

/* Generation 0 waits for the mark: of an event that is unrecorded or was reset. */
static bool isReached(const struct event *event, uint64_t generation)
{
    if (event->shared) {
        return markIsReached(event->shared, generation);
    }
    return generation ? eventIsDone(event, generation) : event->set;
}

static aclError runWait(void *argument)
{
    struct point *point = argument;
    struct stream *stream = streamSelf();
    pthread_mutex_lock(&events_lock);
    while (!isReached(point->event, point->generation) && !stream->abandoned) {
        waitForChange(point->event);
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
    dropPoint(point);
}

/* In a graph, each time that it runs: what happens to the mark, for those outside. */
static aclError runMark(void *argument)
{
    struct point *point = argument;
    pthread_mutex_lock(&events_lock);
    point->event->set = true;
    point->event->done_ns = now();
    pthread_cond_broadcast(&events_changed);
    pthread_mutex_unlock(&events_lock);
    return ACL_SUCCESS;
}

/* The lock is held, and stays so: two records must queue in the order of their generations. */
static aclError queue(struct event *event, struct stream *stream, uint64_t generation, aclError (*run)(void *),
                      void (*drop)(void *))
{
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

static aclError record(struct event *event, struct stream *stream)
{
    if (event->id == 0 && !eventTakeId(event)) {
        return ACL_ERROR_RT_NO_EVENT_RESOURCE;
    }
    uint64_t generation = event->shared ? markClaim(event->shared) : event->recorded + 1;
    aclError code = queue(event, stream, generation, runRecord, dropRecord);
    if (code == ACL_SUCCESS) {
        event->recorded = generation;
        event->by = stream;
        event->resets = false;
    }
    return code;
}

/* The task for a captured stream, or a stream of a model built by hand. An ordinary event is refused there. */
static aclError recordCaptured(struct event *event, struct stream *stream)
{
    bool external = event->flags == ACL_EVENT_EXTERNAL;
    if (stream->model || external) {
        bool refused = event->extended || event->flags == EVENT_ORDINARY;
        return refused ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : queue(event, stream, 0, runMark, dropPoint);
    }
    if (!event->extended || event->shared) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    if (eventOnlyMarks(event)) {
        return ACL_SUCCESS;
    }
    if (eventIsCaptured(event) && event->captured != captureSerial(stream)) {
        return ACL_ERROR_STREAM_CAPTURE_CONFLICT;
    }
    event->captured = captureSerial(stream);
    event->captured_at = captureMark(stream);
    event->by = stream;
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
    code = stream->capture || stream->model ? recordCaptured(event, stream) : record(event, stream);
    pthread_mutex_unlock(&events_lock);
    return code;
}

/* Of an Ex event that orders streams alone, on a stream that is being captured. */
static aclError outside(aclrtEvent handle, aclrtStream stream_handle, aclError (*run)(void *), void (*drop)(void *))
{
    struct stream *stream;
    struct event *event;
    aclError code = streamOf(stream_handle, &stream);
    code = code == ACL_SUCCESS ? eventAcquire(handle, &event) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (!event->extended || event->flags != ACL_EVENT_SYNC) {
        code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    } else {
        code = stream->capture ? queue(event, stream, 0, run, drop) : ACL_ERROR_RT_STREAM_NOT_CAPTURED;
        event->waits += code == ACL_SUCCESS && run == runWait;
    }
    pthread_mutex_unlock(&events_lock);
    return code;
}

aclError rtEventRecordOutside(aclrtEvent event, aclrtStream stream)
{
    return outside(event, stream, runMark, dropPoint);
}

aclError rtStreamWaitEventOutside(aclrtStream stream, aclrtEvent event)
{
    return outside(event, stream, runWait, dropWait);
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
    if (event->extended || event->shared || eventOnlyMarks(event) || (stream->capture && event->flags == EVENT_ORDINARY)) {
        code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    } else {
        code = queue(event, stream, event->recorded, runReset, dropPoint);
        event->resets = event->resets || code == ACL_SUCCESS;
    }
    pthread_mutex_unlock(&events_lock);
    return code;
}

/* A stream that waits for a captured record joins its capture. */
static aclError waitCaptured(struct event *event, struct stream *stream)
{
    if (eventIsCaptured(event)) {
        return captureJoin(event->captured, event->captured_at, stream);
    }
    if (!event->extended && event->flags != ACL_EVENT_EXTERNAL) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    if (event->extended) {
        return eventIsRecorded(event) ? ACL_ERROR_RT_CAPTURE_DEPENDENCY : ACL_SUCCESS;
    }
    aclError code = queue(event, stream, 0, runWait, dropWait);
    event->waits += code == ACL_SUCCESS;
    return code;
}

/* When the runtime sends a wait to the chip at all, and for what (event.cc, Wait and WaitSendCheck). */
static aclError wait(struct event *event, struct stream *stream)
{
    bool by_mark = event->flags & (ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL);
    if (event->shared) {
        uint64_t latest = markLatest(event->shared);
        return latest ? queue(event, stream, latest, runWait, dropWait) : ACL_SUCCESS;
    }
    if (!eventIsRecorded(event) && (event->extended || !by_mark)) {
        return event->extended ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
    }
    bool done = eventIsDone(event, event->recorded);
    bool waits_for_mark = event->resets || !eventIsRecorded(event);
    if (event->extended ? done || event->by == stream : done && !waits_for_mark) {
        return ACL_SUCCESS;
    }
    aclError code = queue(event, stream, waits_for_mark ? 0 : event->recorded, runWait, dropWait);
    event->waits += code == ACL_SUCCESS;
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
    if (eventOnlyMarks(event) || (stream->model && (event->extended || event->flags == EVENT_ORDINARY))) {
        code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    } else if (stream->capture || eventIsCaptured(event)) {
        code = waitCaptured(event, stream);
    } else {
        code = wait(event, stream);
    }
    pthread_mutex_unlock(&events_lock);
    return code;
}

/* Types and parameters of event tasks, for graphs. */
aclmdlRITaskType eventTask(aclError (*run)(void *))
{
    return run == runMark ? ACL_MODEL_RI_TASK_EVENT_RECORD
           : run == runWait ? ACL_MODEL_RI_TASK_EVENT_WAIT
           : run == runReset ? ACL_MODEL_RI_TASK_EVENT_RESET
                             : ACL_MODEL_RI_TASK_DEFAULT;
}

void eventDescribe(const void *argument, aclmdlRITaskParams *params)
{
    const struct point *point = argument;
    const uint32_t outside = point->event->extended;
    params->eventRecordTaskParams = (struct aclmdlRIEventRecordTaskParams){point->event, point->event->flags, outside};
}
