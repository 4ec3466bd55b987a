/* Streams as the public calls see them: handles, contexts, codes. */
#include "capture.h"

#include "handles.h"
#include "pool.h"

aclError streamOf(aclrtStream handle, struct stream **stream)
{
    struct context *context = contextCurrent();
    if (handle && !handleAlive(HANDLE_STREAM, handle)) { /* before the context (api_c_stream.cc) */
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    if (!handle) {
        *stream = context->default_stream;
        return *stream ? ACL_SUCCESS : ACL_ERROR_RT_CONTEXT_NULL;
    }
    *stream = handle;
    return (*stream)->context == context ? ACL_SUCCESS : ACL_ERROR_RT_STREAM_CONTEXT;
}

aclError streamAny(aclrtStream handle, struct stream **stream)
{
    aclError code = streamOf(handle, stream);
    if (handle && (code == ACL_ERROR_RT_STREAM_CONTEXT || code == ACL_ERROR_RT_CONTEXT_NULL)) {
        *stream = handle;
        return ACL_SUCCESS;
    }
    return code;
}

/* Streams of models take no part in what others wait for (api_error.cc, StreamSynchronize and StreamQuery). */
static bool isPersistent(aclrtStream handle)
{
    return handle && handleAlive(HANDLE_STREAM, handle) && ((struct stream *)handle)->flags & ACL_STREAM_PERSISTENT;
}

aclError aclsimEnqueue(aclrtStream handle, aclError (*run)(void *), void (*drop)(void *), void *argument)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    code = code == ACL_SUCCESS ? streamPush(stream, run, drop, argument) : code;
    if (code != ACL_SUCCESS && drop) {
        drop(argument);
    }
    return code;
}

aclError rtStreamCreateWithFlags(aclrtStream *handle, int32_t priority, uint32_t flags)
{
    struct context *context = contextCurrent();
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    topologyLock();
    struct stream *stream = streamNew(context, (uint32_t)priority, flags);
    topologyUnlock();
    if (!stream) {
        return ACL_ERROR_RT_NO_STREAM_RESOURCE;
    }
    *handle = stream;
    noticeStream(stream, ACL_RT_STREAM_STATE_CREATE_POST);
    return ACL_SUCCESS;
}

static aclError destroy(aclrtStream handle, bool force)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (stream->capture || stream->model) {
        return stream->capture ? ACL_ERROR_RT_STREAM_CAPTURED : ACL_ERROR_RT_STREAM_MODEL;
    }
    struct context *context = stream->context;
    if (stream == context->default_stream || stream == streamSelf()) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    noticeStream(stream, ACL_RT_STREAM_STATE_DESTROY_PRE);
    if (!handleDrop(HANDLE_STREAM, stream)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    topologyLock();
    struct stream **link = &context->streams;
    while (*link && *link != stream) {
        link = &(*link)->next;
    }
    bool linked = *link != NULL;
    if (linked) {
        *link = stream->next;
    }
    topologyUnlock();
    if (linked) {
        streamEnd(stream, force);
    }
    return ACL_SUCCESS;
}

aclError rtStreamDestroy(aclrtStream handle)
{
    return destroy(handle, false);
}

aclError rtStreamDestroyForce(aclrtStream handle)
{
    return destroy(handle, true);
}

aclError aclsimStreamAbort(aclrtStream handle)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code == ACL_SUCCESS && stream == streamSelf()) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (code == ACL_SUCCESS && stream->capture) {
        return ACL_ERROR_RT_STREAM_CAPTURED;
    }
    if (code == ACL_SUCCESS) {
        streamAbort(stream);
    }
    return code;
}

/* Switches to the stream's context for as long as it waits (runtime 8.5 to 9.2, StreamSynchronize). */
aclError rtStreamSynchronizeWithTimeout(aclrtStream handle, int32_t timeout)
{
    struct stream *stream;
    aclError code = streamAny(handle, &stream);
    if (code == ACL_SUCCESS && stream->capture) {
        return ACL_ERROR_RT_STREAM_CAPTURED;
    }
    if (isPersistent(handle)) {
        return ACL_SUCCESS;
    }
    code = code == ACL_SUCCESS && !contextCurrent() ? ACL_ERROR_RT_CONTEXT_NULL : code;
    if (code == ACL_SUCCESS) {
        code = streamWait(stream, timeout);
        poolsSettle();
    }
    return code;
}

aclError aclsimStreamQuery(aclrtStream handle, bool *complete)
{
    struct stream *stream;
    aclError code = streamAny(handle, &stream);
    if (code == ACL_SUCCESS && stream->capture) {
        return ACL_ERROR_RT_STREAM_CAPTURED;
    }
    if (isPersistent(handle)) {
        *complete = true;
        return ACL_SUCCESS;
    }
    code = code == ACL_SUCCESS && !contextCurrent() ? ACL_ERROR_RT_CONTEXT_NULL : code;
    if (code == ACL_SUCCESS) {
        pthread_mutex_lock(&stream->lock);
        *complete = stream->done == stream->submitted;
        pthread_mutex_unlock(&stream->lock);
    }
    return code;
}

aclError aclsimStreamDescribe(aclrtStream handle, int32_t *id, uint32_t *priority, uint32_t *flags)
{
    struct stream *stream;
    aclError code = streamAny(handle, &stream);
    if (code == ACL_SUCCESS) {
        *id = stream->id;
        *priority = stream->priority;
        *flags = stream->flags;
    }
    return code;
}
