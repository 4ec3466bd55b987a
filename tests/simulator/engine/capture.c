/* Graph capture: calls on a stream, and on streams that wait for it, are kept as a graph's tasks. */
#include "graph.h"

#include <stdlib.h>

#include "handles.h"

pthread_mutex_t graphs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct graph *active;
static uint64_t marks;
/* How much the thread respects of others' captures. */
static _Thread_local aclmdlRICaptureMode exchange = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

bool captureIsOn(const struct context *context)
{
    bool on = false;
    pthread_mutex_lock(&graphs_lock);
    for (struct graph *at = active; at; at = at->next) {
        on = on || at->context == context;
    }
    pthread_mutex_unlock(&graphs_lock);
    return on;
}

/* The runtime's table: a relaxed thread may do anything; any other thread is stopped by a global capture of its context, and by
 * one of its own that is not relaxed. */
aclError captureAllows(void)
{
    struct context *context = contextCurrent();
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    bool forbidden = false;
    pthread_mutex_lock(&graphs_lock);
    for (struct graph *at = active; at; at = at->next) {
        bool own = pthread_equal(at->thread, pthread_self());
        bool global = at->mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && (own || exchange == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
        bool local = at->mode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL && own;
        forbidden = forbidden || (at->context == context && (global || local));
    }
    pthread_mutex_unlock(&graphs_lock);
    forbidden = forbidden && exchange != ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    return forbidden ? ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT : ACL_SUCCESS;
}

/* The lock is held. */
static struct graph *activeBy(uint64_t serial)
{
    struct graph *at = active;
    while (at && at->serial != serial) {
        at = at->next;
    }
    return at;
}

bool captureIsActive(uint64_t serial)
{
    pthread_mutex_lock(&graphs_lock);
    bool found = serial && activeBy(serial);
    pthread_mutex_unlock(&graphs_lock);
    return found;
}

uint64_t captureSerial(const struct stream *stream)
{
    pthread_mutex_lock(&graphs_lock);
    uint64_t serial = stream->capture ? stream->capture->serial : 0;
    pthread_mutex_unlock(&graphs_lock);
    return serial;
}

uint64_t captureMark(struct stream *stream)
{
    pthread_mutex_lock(&graphs_lock);
    struct member *member = stream->capture ? memberOf(stream->capture, stream) : NULL;
    uint64_t mark = ++marks;
    if (member) {
        member->mark = mark;
        member->joined = member->joined_origin = false;
    }
    pthread_mutex_unlock(&graphs_lock);
    return mark;
}

aclError captureJoin(uint64_t serial, uint64_t mark, struct stream *stream)
{
    if (stream == stream->context->default_stream) {
        return ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT;
    }
    aclError code = ACL_SUCCESS;
    pthread_mutex_lock(&graphs_lock);
    struct graph *graph = activeBy(serial);
    if (!graph || (stream->capture && stream->capture != graph)) {
        code = graph ? ACL_ERROR_STREAM_CAPTURE_CONFLICT : ACL_ERROR_RT_STREAM_NOT_CAPTURED;
    } else if (!stream->capture) {
        struct member *member = memberNew(graph, stream);
        stream->capture = member ? graph : NULL;
        code = member ? ACL_SUCCESS : ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    for (struct member *at = graph && code == ACL_SUCCESS ? graph->members : NULL; at; at = at->next) {
        if (at->mark == mark && at->stream != stream) {
            at->joined = true;
            at->joined_origin = graph->members->stream == stream;
        } else if (at->stream == stream) {
            at->mark = 0; /* a wait came last */
        }
    }
    pthread_mutex_unlock(&graphs_lock);
    return code;
}

static aclError begin(struct graph *graph, struct stream *stream, aclmdlRICaptureMode mode)
{
    pthread_mutex_lock(&graphs_lock);
    aclError code = graph->complete || graph->members ? ACL_ERROR_RT_MODEL_CAPTURED
                    : stream->capture                 ? ACL_ERROR_RT_STREAM_CAPTURED
                    : memberNew(graph, stream)        ? ACL_SUCCESS
                                                      : ACL_ERROR_RT_NO_MODEL_RESOURCE;
    if (code == ACL_SUCCESS) {
        graph->context = stream->context;
        graph->thread = pthread_self();
        graph->mode = mode;
        graph->next = active;
        active = graph;
        stream->capture = graph;
    }
    pthread_mutex_unlock(&graphs_lock);
    return code;
}

static aclError capturable(aclrtStream handle, aclmdlRICaptureMode mode, struct stream **stream)
{
    aclError code = streamOf(handle, stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    bool plain = *stream != (*stream)->context->default_stream;
    return (uint32_t)mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED && plain ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

aclError rtStreamBeginCapture(aclrtStream handle, aclmdlRICaptureMode mode)
{
    struct stream *stream;
    aclError code = capturable(handle, mode, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct graph *graph = graphNew(true);
    if (!graph) {
        return ACL_ERROR_RT_NO_MODEL_RESOURCE;
    }
    code = begin(graph, stream, mode);
    if (code != ACL_SUCCESS) {
        handleDrop(HANDLE_GRAPH, graph);
        graphLetGo(graph);
    }
    return code;
}

/* Into a graph that a conditional task made; one that is not, is refused (api_error_aclgraph.cc, StreamBeginCaptureMdlCheck). */
aclError rtStreamBeginCaptureToModel(aclrtStream handle, aclmdlRI model, aclmdlRICaptureMode mode)
{
    struct stream *stream;
    struct graph *graph = model;
    aclError code = capturable(handle, mode, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    bool part = handleAlive(HANDLE_GRAPH, model) && graph->part;
    return part ? begin(graph, stream, mode) : ACL_ERROR_RT_PARAM_INVALID;
}

/* Every other stream's last task is a record with a waiter, and the first stream waits for one of them. */
static aclError joinedBack(const struct graph *graph)
{
    bool others = false, back = false;
    for (const struct member *at = graph->members; at; at = at->next) {
        if (at->open) {
            return ACL_ERROR_STREAM_TASK_GROUP_STATUS;
        }
        if (at != graph->members) {
            others = true;
            back = back || at->joined_origin;
            if (at->mark == 0 || !at->joined) {
                return ACL_ERROR_RT_STREAM_UNJOINED;
            }
        }
    }
    return others && !back ? ACL_ERROR_RT_STREAM_UNJOINED : ACL_SUCCESS;
}

/* The lock is held. */
static void leave(struct graph *graph)
{
    struct graph **link = &active;
    while (*link != graph) {
        link = &(*link)->next;
    }
    *link = graph->next;
    for (struct member *at = graph->members; at; at = at->next) {
        if (at->stream->capture == graph) {
            at->stream->capture = NULL;
        }
    }
    graph->complete = true;
}

aclError rtStreamEndCapture(aclrtStream handle, aclmdlRI *out)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    *out = NULL;
    bool spoilt = false;
    pthread_mutex_lock(&graphs_lock);
    struct graph *graph = stream->capture;
    if (!graph) {
        code = ACL_ERROR_RT_STREAM_NOT_CAPTURED;
    } else if (graph->members->stream != stream) {
        code = ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED;
    } else {
        bool own = graph->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED || pthread_equal(graph->thread, pthread_self());
        code = own ? joinedBack(graph) : ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD;
        spoilt = own && code != ACL_SUCCESS;
        if (own) {
            leave(graph);
        }
    }
    pthread_mutex_unlock(&graphs_lock);
    if (code == ACL_SUCCESS) {
        *out = graph;
    }
    if (spoilt && !graph->part) {
        (void)rtModelDestroy(graph);
    }
    return code;
}

aclError rtStreamGetCaptureInfo(aclrtStream handle, bool *on, aclmdlRI *out)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code == ACL_SUCCESS) {
        *out = stream->capture;
        *on = *out != NULL;
    }
    return code;
}

aclError rtThreadExchangeCaptureMode(aclmdlRICaptureMode *mode)
{
    aclmdlRICaptureMode former = exchange;
    if ((uint32_t)*mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    exchange = *mode;
    *mode = former;
    return ACL_SUCCESS;
}
