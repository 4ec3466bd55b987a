/* Events. Each record opens a new generation; a wait that is queued keeps the
 * generation that was the latest when it was called. */
#include "capture.h"
#include "event.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "handles.h"

/* As many as the chip's table has (config/910_B_93/dev_info_reg.cc, stubEventCount). */
#define MOST_EVENTS 65536u

struct point {
    struct event *event;
    uint64_t generation;
    struct point *next; /* of a record, while no stream has come to it */
};

pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t events_changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t ids[MOST_EVENTS / 64]; /* a bit for each that is taken */
static uint32_t ids_taken;

static void prepare(void)
{
    conditionInit(&events_changed);
    ids[0] = 1; /* 0 stands for none */
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

/* The lock is held: the lowest number that is free, as the driver gives them. */
static bool takeId(struct event *event)
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

/* Which flags there are, and which go with others (api_error.cc, EventCreate and EventCreateEx). */
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
    bool given = extended || flags == EVENT_ORDINARY ? flags != ACL_EVENT_IPC || event->shared : takeId(event);
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

/* Other processes change a file and signal nobody, so their events are looked at every millisecond. */
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
    if (event->id == 0 && !takeId(event)) {
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

/* What a captured stream, or one of a model that is built by hand, is given. An ordinary event is refused there. */
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

/* Which kinds of tasks these are, and what is told of them. */
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
