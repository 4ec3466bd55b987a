/* Workers, what they wait for, and the legacy stream's order with blocking streams. */
#include "stream.h"

#include <stdlib.h>

#include "pool.h"
#include "work.h"

struct task {
    struct task *next;
    struct work *work;
    struct point *points; /* reached before it runs */
    size_t count;
};

static uint64_t last_id;

CUstream streamNew(CUcontext context, unsigned flags, int priority)
{
    CUstream stream = calloc(1, sizeof *stream);
    if (!stream || !handleAdd(HANDLE_STREAM, stream)) {
        free(stream);
        return NULL;
    }
    stream->context = context;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++last_id;
    stream->holders = 1;
    pthread_cond_init(&stream->changed, NULL);
    /* The legacy stream is the first of its context, and stays it. */
    CUstream *place = context->streams ? &context->streams->next : &context->streams;
    stream->next = *place;
    *place = stream;
    return stream;
}

void streamHold(CUstream stream)
{
    stream->holders++;
}

void streamRelease(CUstream stream)
{
    if (--stream->holders == 0) {
        pthread_cond_destroy(&stream->changed);
        clockDrop(&stream->clock);
        free(stream);
    }
}

void streamEnd(CUstream stream)
{
    handleDrop(HANDLE_STREAM, stream);
    CUstream *place = &stream->context->streams;
    while (*place != stream) {
        place = &(*place)->next;
    }
    *place = stream->next;
    stream->stopping = true;
    pthread_cond_broadcast(&stream->changed);
    streamRelease(stream);
}

static CUstream ownStream(CUcontext context)
{
    const uint64_t me = threadSelf()->number;
    for (CUstream stream = context->streams; stream; stream = stream->next) {
        if (stream->owner == me) {
            return stream;
        }
    }
    CUstream stream = streamNew(context, CU_STREAM_DEFAULT, 0);
    if (stream) {
        stream->owner = me;
    }
    return stream;
}

CUresult streamOf(CUcontext context, CUstream handle, CUstream *stream)
{
    if (!handle || handle == CU_STREAM_LEGACY) {
        *stream = context->streams;
        return CUDA_SUCCESS;
    }
    if (handle == CU_STREAM_PER_THREAD) {
        *stream = ownStream(context);
        return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    *stream = handle;
    return handleAlive(HANDLE_STREAM, handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

bool isBlocking(const struct CUstream_st *stream)
{
    return !stream->is_legacy && !(stream->flags & CU_STREAM_NON_BLOCKING);
}

bool isReached(struct point point)
{
    return point.stream->done >= point.ticket;
}

static void await(struct point point)
{
    while (!isReached(point)) {
        pthread_cond_wait(&point.stream->changed, &driver_lock);
    }
}

static void finishTask(CUstream stream, struct task *task, CUresult code)
{
    CUcontext context = stream->context;
    if (code != CUDA_SUCCESS && context->error == CUDA_SUCCESS) {
        context->error = code;
    }
    for (size_t i = 0; i < task->count; i++) {
        streamRelease(task->points[i].stream);
    }
    workRelease(task->work);
    free(task->points);
    free(task);
    stream->done++;
    pthread_cond_broadcast(&stream->changed);
}

static void *runTasks(void *argument)
{
    CUstream stream = argument;
    pthread_mutex_lock(&driver_lock);
    for (;;) {
        while (!stream->first && !stream->stopping) {
            pthread_cond_wait(&stream->changed, &driver_lock);
        }
        struct task *task = stream->first;
        if (!task) {
            break;
        }
        for (size_t i = 0; i < task->count; i++) {
            await(task->points[i]);
        }
        stream->first = task->next;
        stream->last = stream->first ? stream->last : NULL;
        CUresult code = CUDA_SUCCESS;
        if (stream->context->error == CUDA_SUCCESS) { /* after a fault nothing runs, host functions neither */
            pthread_mutex_unlock(&driver_lock);
            code = task->work->run(task->work);
            pthread_mutex_lock(&driver_lock);
        }
        finishTask(stream, task, code);
    }
    streamRelease(stream);
    pthread_mutex_unlock(&driver_lock);
    return NULL;
}

static bool start(CUstream stream)
{
    pthread_t worker;
    if (!stream->started) {
        stream->started = pthread_create(&worker, NULL, runTasks, stream) == 0;
        if (stream->started) {
            pthread_detach(worker);
            streamHold(stream);
        }
    }
    return stream->started;
}

/* The next task comes after all that `other` has. */
static void follow(CUstream stream, CUstream other, struct task *task)
{
    clockJoin(&stream->clock, &other->clock);
    clockAdd(&stream->clock, other->id, other->submitted);
    if (other->done < other->submitted) {
        streamHold(other);
        task->points[task->count++] = (struct point){other, other->submitted};
    }
}

static size_t countStreams(CUcontext context)
{
    size_t count = 0;
    for (CUstream stream = context->streams; stream; stream = stream->next) {
        count++;
    }
    return count;
}

CUresult submitAfter(CUstream stream, struct work *work, const struct point *point)
{
    CUcontext context = stream->context;
    struct task *task = calloc(1, sizeof *task);
    struct point *points = calloc(countStreams(context) + 1, sizeof *points);
    if (!work || !task || !points || !start(stream)) {
        workRelease(work);
        free(task);
        free(points);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    task->work = work;
    task->points = points;
    /* "Stream synchronization behavior": the legacy stream waits for the blocking ones of its context, and they for it. */
    for (CUstream other = context->streams; other; other = other->next) {
        if (stream->is_legacy ? isBlocking(other) : other->is_legacy && isBlocking(stream)) {
            follow(stream, other, task);
        }
    }
    if (point && point->stream != stream) {
        clockAdd(&stream->clock, point->stream->id, point->ticket);
        if (!isReached(*point)) {
            streamHold(point->stream);
            task->points[task->count++] = *point;
        }
    }
    if (stream->last) {
        stream->last->next = task;
    } else {
        stream->first = task;
    }
    stream->last = task;
    stream->submitted++;
    pthread_cond_broadcast(&stream->changed);
    return CUDA_SUCCESS;
}

CUresult submit(CUstream stream, struct work *work)
{
    return submitAfter(stream, work, NULL);
}

CUresult waitForPoint(CUcontext context, struct point point)
{
    streamHold(point.stream);
    await(point);
    streamRelease(point.stream);
    poolsObserve(context->device);
    return context->error;
}

CUresult waitForStream(CUstream stream)
{
    CUcontext context = stream->context;
    CUresult code = CUDA_SUCCESS;
    /* Waiting for the legacy stream is waiting for the work that it waits for: its next task's place. */
    if (stream->is_legacy) {
        code = submit(stream, workNothing(context));
    }
    if (code == CUDA_SUCCESS) {
        code = waitForPoint(context, (struct point){stream, stream->submitted});
    }
    return code;
}

CUresult waitForContext(CUcontext context)
{
    /* The list may change while the lock is away: start over until a whole pass finds nothing to wait for. */
    for (CUstream stream = context->streams; stream;) {
        if (stream->done < stream->submitted) {
            waitForPoint(context, (struct point){stream, stream->submitted});
            stream = context->streams;
        } else {
            stream = stream->next;
        }
    }
    poolsObserve(context->device);
    return context->error;
}
