/* Events: the point of a stream that was last recorded, and when it was reached. */
#include <stdlib.h>
#include <time.h>

#include "../engine/work.h"
#include "queued.h"

#undef cuEventElapsedTime /* both forms are defined here */

struct record {
    unsigned holders;
    struct point point;
    struct clock clock;
    double milliseconds;
};

struct CUevent_st {
    CUcontext context;
    unsigned flags;
    struct record *record;
};

static void recordRelease(struct record *record)
{
    if (record && --record->holders == 0) {
        streamRelease(record->point.stream);
        clockDrop(&record->clock);
        free(record);
    }
}

static CUresult takeTime(struct work *work)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&driver_lock);
    work->as.record->milliseconds = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
    pthread_mutex_unlock(&driver_lock);
    return CUDA_SUCCESS;
}

static void dropRecord(struct work *work)
{
    recordRelease(work->as.record);
}

static CUresult enterEvent(CUevent event)
{
    CUcontext context;
    CUresult code = enter(&context);
    return code == CUDA_SUCCESS && !handleAlive(HANDLE_EVENT, event) ? CUDA_ERROR_INVALID_HANDLE : code;
}

EXPORT CUresult cuEventCreate(CUevent *result, unsigned int flags)
{
    CUcontext context;
    CUresult code = enter(&context);
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;
    if (code == CUDA_SUCCESS && (!result || (flags & ~known))) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    CUevent event = code == CUDA_SUCCESS ? calloc(1, sizeof *event) : NULL;
    if (code == CUDA_SUCCESS && (!event || !handleAdd(HANDLE_EVENT, event))) {
        free(event);
        code = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (code == CUDA_SUCCESS) {
        event->context = context;
        event->flags = flags;
        *result = event;
    }
    return leave(code);
}

EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
    CUresult code = enterEvent(event);
    if (code == CUDA_SUCCESS) { /* a record that is still to be reached keeps what it needs */
        handleDrop(HANDLE_EVENT, event);
        recordRelease(event->record);
        free(event);
    }
    return leave(code);
}

static CUresult record(CUevent event, CUstream stream)
{
    struct record *record = calloc(1, sizeof *record);
    struct work *work = record ? workNew(stream->context, takeTime) : NULL;
    if (!work) {
        free(record);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    work->as.record = record;
    work->drop = dropRecord;
    record->holders = 2;
    streamHold(stream);
    record->point = (struct point){stream, stream->submitted + 1};
    CUresult code = submit(stream, work);
    if (code != CUDA_SUCCESS) {
        recordRelease(record);
        return code;
    }
    clockJoin(&record->clock, &stream->clock);
    recordRelease(event->record);
    event->record = record;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
    CUstream found = NULL;
    CUresult code = enterEvent(event);
    code = code == CUDA_SUCCESS ? streamOf(contextCurrent(), stream, &found) : code;
    if (code == CUDA_SUCCESS && flags != 0) { /* external records are for captures */
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS && found->context != event->context) { /* "must be from the same context" */
        code = CUDA_ERROR_INVALID_HANDLE;
    }
    return leave(code == CUDA_SUCCESS ? record(event, found) : code);
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return cuEventRecordWithFlags(event, stream, 0);
}

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    CUstream found = NULL;
    CUresult code = enterEvent(event);
    code = code == CUDA_SUCCESS ? streamOf(contextCurrent(), stream, &found) : code;
    if (code == CUDA_SUCCESS && flags != 0) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS && event->record) {
        code = submitAfter(found, workNothing(found->context), &event->record->point);
        clockJoin(&found->clock, &event->record->clock);
    }
    return leave(code);
}

EXPORT CUresult cuEventQuery(CUevent event)
{
    CUresult code = enterEvent(event);
    if (code == CUDA_SUCCESS && event->record && !isReached(event->record->point)) {
        code = CUDA_ERROR_NOT_READY;
    }
    return leave(code);
}

EXPORT CUresult cuEventSynchronize(CUevent event)
{
    CUresult code = enterEvent(event);
    if (code == CUDA_SUCCESS && event->record) {
        code = waitForPoint(event->context, event->record->point);
    }
    return leave(code);
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    CUresult code = enterEvent(start);
    if (code == CUDA_SUCCESS && !milliseconds) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else if (code == CUDA_SUCCESS && (!handleAlive(HANDLE_EVENT, end) || !start->record || !end->record ||
                                        ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING))) {
        code = CUDA_ERROR_INVALID_HANDLE;
    } else if (code == CUDA_SUCCESS && (!isReached(start->record->point) || !isReached(end->record->point))) {
        code = CUDA_ERROR_NOT_READY;
    }
    if (code == CUDA_SUCCESS) {
        *milliseconds = (float)(end->record->milliseconds - start->record->milliseconds);
    }
    return leave(code);
}

EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime(milliseconds, start, end);
}

PER_THREAD(cuEventRecord, (CUevent event, CUstream stream), event, stream)
PER_THREAD(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned int flags), event, stream, flags)
PER_THREAD(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags), stream, event, flags)
