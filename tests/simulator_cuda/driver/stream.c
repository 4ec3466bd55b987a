/* Streams, and host functions in them. */
#include "../engine/work.h"
#include "queued.h"

EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS && (!stream || flags > CU_STREAM_NON_BLOCKING)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) { /* a priority outside of the range is clamped */
        *stream = streamNew(context, flags, priority > 0 ? 0 : priority < -5 ? -5 : priority);
        code = *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    return leave(code);
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

/* Takes the lock, and finds the stream of a handle. */
static CUresult enterStream(CUstream handle, CUcontext *context, CUstream *stream)
{
    CUresult code = enter(context);
    return code == CUDA_SUCCESS ? streamOf(*context, handle, stream) : code;
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS && !handleAlive(HANDLE_STREAM, stream)) {
        code = CUDA_ERROR_INVALID_HANDLE;
    }
    if (code == CUDA_SUCCESS) {
        streamEnd(stream);
    }
    return leave(code);
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    CUcontext context;
    CUstream found;
    CUresult code = enterStream(stream, &context, &found);
    return leave(code == CUDA_SUCCESS ? waitForStream(found) : code);
}

EXPORT CUresult cuStreamQuery(CUstream stream)
{
    CUcontext context;
    CUstream found;
    CUresult code = enterStream(stream, &context, &found);
    if (code == CUDA_SUCCESS && !isReached((struct point){found, found->submitted})) {
        code = CUDA_ERROR_NOT_READY;
    }
    if (code == CUDA_SUCCESS && found->is_legacy) { /* it is done when the streams that it waits for are */
        for (CUstream other = context->streams; other; other = other->next) {
            if (isBlocking(other) && !isReached((struct point){other, other->submitted})) {
                code = CUDA_ERROR_NOT_READY;
            }
        }
    }
    return leave(code);
}

EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    CUcontext context;
    CUstream found;
    CUresult code = enterStream(stream, &context, &found);
    if (code == CUDA_SUCCESS && !flags) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *flags = found->flags;
    }
    return leave(code);
}

EXPORT CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    CUcontext context;
    CUstream found;
    CUresult code = enterStream(stream, &context, &found);
    if (code == CUDA_SUCCESS && !priority) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *priority = found->priority;
    }
    return leave(code);
}

EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *result)
{
    CUcontext context;
    CUstream found;
    CUresult code = enterStream(stream, &context, &found);
    if (code == CUDA_SUCCESS && !result) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *result = found->context;
    }
    return leave(code);
}

EXPORT CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    CUcontext context;
    CUstream found;
    CUresult code = enterStream(stream, &context, &found);
    if (code == CUDA_SUCCESS && !id) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *id = found->id;
    }
    return leave(code);
}

EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *argument)
{
    CUcontext context;
    CUstream found;
    CUresult code = enterStream(stream, &context, &found);
    if (code == CUDA_SUCCESS) {
        code = function ? submit(found, workHost(context, function, argument)) : CUDA_ERROR_INVALID_VALUE;
    }
    return leave(code);
}

PER_THREAD(cuStreamSynchronize, (CUstream stream), stream)
PER_THREAD(cuStreamQuery, (CUstream stream), stream)
PER_THREAD(cuStreamGetFlags, (CUstream stream, unsigned int *flags), stream, flags)
PER_THREAD(cuStreamGetPriority, (CUstream stream, int *priority), stream, priority)
PER_THREAD(cuStreamGetCtx, (CUstream stream, CUcontext *context), stream, context)
PER_THREAD(cuStreamGetId, (CUstream stream, unsigned long long *id), stream, id)
PER_THREAD(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *argument), stream, function, argument)
