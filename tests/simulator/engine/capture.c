/* Graph capture of one stream, and models that are built by hand: tasks are kept and run when the graph is executed, as often as that
 * happens. */
#include "capture.h"

#include <stdlib.h>

#include "handles.h"

struct step {
    struct step *next;
    aclError (*run)(void *);
    void (*drop)(void *);
    void *argument;
};

struct graph {
    struct graph *next; /* of those that are being captured */
    unsigned holders;   /* the handle, every queued execution, and every stream that is bound */
    struct stream *stream; /* NULL if built by hand */
    pthread_t thread;
    aclmdlRICaptureMode mode;
    bool complete;
    struct step *first, *last;
};

static struct graph *active;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* How much the thread respects of others' captures. */
static _Thread_local aclmdlRICaptureMode exchange = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

static void letGo(struct graph *graph)
{
    pthread_mutex_lock(&lock);
    bool last = --graph->holders == 0;
    pthread_mutex_unlock(&lock);
    for (struct step *at = last ? graph->first : NULL, *next; at; at = next) {
        next = at->next;
        if (at->drop) {
            at->drop(at->argument);
        }
        free(at);
    }
    if (last) {
        free(graph);
    }
}

bool captureIsOn(const struct context *context)
{
    bool on = false;
    pthread_mutex_lock(&lock);
    for (struct graph *at = active; at; at = at->next) {
        on = on || at->stream->context == context;
    }
    pthread_mutex_unlock(&lock);
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
    pthread_mutex_lock(&lock);
    for (struct graph *at = active; at; at = at->next) {
        bool own = pthread_equal(at->thread, pthread_self());
        bool global = at->mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && (own || exchange == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
        bool local = at->mode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL && own;
        forbidden = forbidden || (at->stream->context == context && (global || local));
    }
    pthread_mutex_unlock(&lock);
    forbidden = forbidden && exchange != ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    return forbidden ? ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT : ACL_SUCCESS;
}

aclError captureTask(struct stream *stream, aclError (*run)(void *), void (*drop)(void *), void *argument)
{
    struct step *step = malloc(sizeof *step);
    if (!step) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *step = (struct step){NULL, run, drop, argument};
    pthread_mutex_lock(&lock);
    struct graph *graph = stream->capture ? stream->capture : stream->model;
    bool built = graph && graph->complete;
    if (graph && !built) {
        *(graph->last ? &graph->last->next : &graph->first) = step;
        graph->last = step;
    }
    pthread_mutex_unlock(&lock);
    if (built) {
        free(step);
        return ACL_ERROR_RT_STREAM_MODEL;
    }
    if (!graph) {
        free(step);
        return streamPush(stream, run, drop, argument);
    }
    return ACL_SUCCESS;
}

aclError rtStreamBeginCapture(aclrtStream handle, aclmdlRICaptureMode mode)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED || stream == stream->context->default_stream) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    struct graph *graph = calloc(1, sizeof *graph);
    if (!graph || !handleAdd(HANDLE_GRAPH, graph)) {
        free(graph);
        return ACL_ERROR_RT_NO_MODEL_RESOURCE;
    }
    pthread_mutex_lock(&lock);
    bool captured = stream->capture != NULL;
    if (!captured) {
        *graph = (struct graph){active, 1, stream, pthread_self(), mode, false, NULL, NULL};
        active = graph;
        stream->capture = graph;
    }
    pthread_mutex_unlock(&lock);
    if (captured) {
        handleDrop(HANDLE_GRAPH, graph);
        free(graph);
    }
    return captured ? ACL_ERROR_RT_STREAM_CAPTURED : ACL_SUCCESS;
}

/* Every graph here came of a capture, and none takes a second one. */
aclError rtStreamBeginCaptureToModel(aclrtStream handle, aclmdlRI graph, aclmdlRICaptureMode mode)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code == ACL_SUCCESS) {
        bool valid = handleAlive(HANDLE_GRAPH, graph) && mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
        code = valid ? ACL_ERROR_RT_MODEL_CAPTURED : ACL_ERROR_RT_PARAM_INVALID;
    }
    return code;
}

aclError rtStreamEndCapture(aclrtStream handle, aclmdlRI *out)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    pthread_mutex_lock(&lock);
    struct graph *graph = stream->capture;
    if (!graph) {
        code = ACL_ERROR_RT_STREAM_NOT_CAPTURED;
    } else if (graph->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && !pthread_equal(graph->thread, pthread_self())) {
        code = ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD;
    } else {
        struct graph **link = &active;
        while (*link != graph) {
            link = &(*link)->next;
        }
        *link = graph->next;
        stream->capture = NULL;
        graph->complete = true;
    }
    pthread_mutex_unlock(&lock);
    if (code == ACL_SUCCESS) {
        *out = graph;
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
    if (*mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    exchange = *mode;
    *mode = former;
    return ACL_SUCCESS;
}

aclError rtsModelCreate(aclmdlRI *out, uint32_t flag)
{
    if (!contextCurrent() || flag != 0) {
        return flag != 0 ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_CONTEXT_NULL;
    }
    struct graph *graph = calloc(1, sizeof *graph);
    if (!graph || !handleAdd(HANDLE_GRAPH, graph)) {
        free(graph);
        return ACL_ERROR_RT_NO_MODEL_RESOURCE;
    }
    graph->holders = 1;
    *out = graph;
    return ACL_SUCCESS;
}

/* A stream and the graph that it is to be bound to, or is. */
static aclError built(aclmdlRI handle, aclrtStream stream_handle, struct stream **stream)
{
    struct graph *graph = handle;
    aclError code = streamOf(stream_handle, stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    bool usable = handleAlive(HANDLE_GRAPH, handle) && !graph->stream;
    return usable && ((*stream)->flags & ACL_STREAM_PERSISTENT) ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

aclError rtsModelBindStream(aclmdlRI handle, aclrtStream stream_handle, uint32_t flag)
{
    struct stream *stream;
    struct graph *graph = handle;
    aclError code = built(handle, stream_handle, &stream);
    if (code == ACL_SUCCESS && flag != ACL_MODEL_STREAM_FLAG_HEAD && flag != ACL_MODEL_STREAM_FLAG_DEFAULT) {
        code = ACL_ERROR_RT_PARAM_INVALID;
    }
    if (code != ACL_SUCCESS) {
        return code;
    }
    pthread_mutex_lock(&lock);
    bool bound = stream->model != NULL;
    if (!bound) {
        graph->holders++;
        stream->model = graph;
    }
    pthread_mutex_unlock(&lock);
    return bound ? ACL_ERROR_RT_STREAM_MODEL : ACL_SUCCESS;
}

aclError rtsEndGraph(aclmdlRI handle, aclrtStream stream_handle)
{
    struct stream *stream;
    aclError code = built(handle, stream_handle, &stream);
    return code == ACL_SUCCESS && stream->model != handle ? ACL_ERROR_RT_PARAM_INVALID : code;
}

aclError rtsModelLoadComplete(aclmdlRI handle)
{
    struct graph *graph = handle;
    if (!handleAlive(HANDLE_GRAPH, handle) || graph->stream) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&lock);
    graph->complete = true;
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

aclError rtsModelUnbindStream(aclmdlRI handle, aclrtStream stream_handle)
{
    struct stream *stream;
    aclError code = rtsEndGraph(handle, stream_handle);
    code = code == ACL_SUCCESS ? streamOf(stream_handle, &stream) : code;
    if (code == ACL_SUCCESS) {
        stream->model = NULL;
        letGo(handle);
    }
    return code;
}

static _Thread_local const void *target;

void captureJump(const void *argument)
{
    target = argument;
}

static aclError runGraph(void *argument)
{
    struct graph *graph = argument;
    aclError code = ACL_SUCCESS;
    for (struct step *at = graph->first; at && !streamSelf()->abandoned;) {
        target = NULL;
        aclError one = at->run(at->argument);
        code = code == ACL_SUCCESS ? one : code;
        at = target ? graph->first : at->next;
        while (target && at && at->argument != target) {
            at = at->next;
        }
    }
    return code;
}

static void dropGraph(void *argument)
{
    letGo(argument);
}

aclError rtModelExecute(aclmdlRI handle, aclrtStream stream)
{
    struct graph *graph = handle;
    if (!handleAlive(HANDLE_GRAPH, handle)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&lock);
    bool ready = graph->complete;
    graph->holders += ready;
    pthread_mutex_unlock(&lock);
    return ready ? aclsimEnqueue(stream, runGraph, dropGraph, graph) : ACL_ERROR_RT_MODEL_CAPTURED;
}

aclError rtModelDestroy(aclmdlRI handle)
{
    if (!handleDrop(HANDLE_GRAPH, handle)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    letGo(handle);
    return ACL_SUCCESS;
}
