/* Models built by hand: work queued on a model's bound streams runs when the model is executed. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "handles.h"

/* The runtime looks at no flag (api_impl.cc, ModelCreate); the documents reserve them. */
aclError rtsModelCreate(aclmdlRI *out, uint32_t flag)
{
    if (!contextCurrent() || flag != 0) {
        return flag != 0 ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_CONTEXT_NULL;
    }
    struct graph *graph = graphNew(false);
    if (!graph) {
        return ACL_ERROR_RT_NO_MODEL_RESOURCE;
    }
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
    if (!handleAlive(HANDLE_GRAPH, handle) || graph->captured) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if ((*stream)->capture) {
        return ACL_ERROR_RT_STREAM_CAPTURED;
    }
    return (*stream)->flags & ACL_STREAM_PERSISTENT ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
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
    pthread_mutex_lock(&graphs_lock);
    bool bound = stream->model != NULL;
    struct member *member = bound ? NULL : memberNew(graph, stream);
    if (member) {
        member->waits_for_start = flag == ACL_MODEL_STREAM_FLAG_DEFAULT;
        graph->holders++;
        stream->model = graph;
    }
    pthread_mutex_unlock(&graphs_lock);
    return bound ? ACL_ERROR_RT_STREAM_MODEL : member ? ACL_SUCCESS : ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
}

static aclError bound(aclmdlRI handle, aclrtStream stream_handle, struct stream **stream)
{
    aclError code = built(handle, stream_handle, stream);
    return code == ACL_SUCCESS && (*stream)->model != handle ? ACL_ERROR_RT_PARAM_INVALID : code;
}

aclError rtsEndGraph(aclmdlRI handle, aclrtStream stream_handle)
{
    struct stream *stream;
    aclError code = bound(handle, stream_handle, &stream);
    if (code == ACL_SUCCESS) {
        ((struct graph *)handle)->ended = true;
    }
    return code;
}

aclError rtsModelLoadComplete(aclmdlRI handle)
{
    struct graph *graph = handle;
    if (!handleAlive(HANDLE_GRAPH, handle) || graph->captured) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&graphs_lock);
    graph->complete = true;
    pthread_mutex_unlock(&graphs_lock);
    return ACL_SUCCESS;
}

aclError rtsModelUnbindStream(aclmdlRI handle, aclrtStream stream_handle)
{
    struct stream *stream;
    aclError code = bound(handle, stream_handle, &stream);
    if (code == ACL_SUCCESS) {
        stream->model = NULL;
        graphLetGo(handle);
    }
    return code;
}

/* What one stream of a model does with another one. */
struct turn {
    const struct stream *target;
    const void *left, *right;
    aclrtCondition condition;
    aclrtCompareDataType type;
};

static aclError runActivate(void *argument)
{
    graphActivate(((struct turn *)argument)->target);
    return ACL_SUCCESS;
}

static bool compare(aclrtCondition condition, int order)
{
    switch (condition) {
    case ACL_RT_EQUAL:
        return order == 0;
    case ACL_RT_NOT_EQUAL:
        return order != 0;
    case ACL_RT_GREATER:
        return order > 0;
    case ACL_RT_GREATER_OR_EQUAL:
        return order >= 0;
    case ACL_RT_LESS:
        return order < 0;
    default:
        return order <= 0;
    }
}

static bool load(const void *address, aclrtCompareDataType type, int64_t *value)
{
    uint64_t width = type == ACL_RT_SWITCH_INT64 ? sizeof(int64_t) : sizeof(int32_t), reach;
    const void *from = aclsimView(address, width, &reach);
    int32_t word;
    if (reach != width) {
        return false;
    }
    if (type == ACL_RT_SWITCH_INT64) {
        memcpy(value, from, sizeof *value);
    } else {
        memcpy(&word, from, sizeof word);
        *value = word;
    }
    return true;
}

/* If the condition holds, the other stream continues and this one ends. */
static aclError runSwitch(void *argument)
{
    const struct turn *turn = argument;
    int64_t left, right;
    if (!load(turn->left, turn->type, &left) || !load(turn->right, turn->type, &right)) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    if (compare(turn->condition, (left > right) - (left < right))) {
        graphActivate(turn->target);
        graphStop();
    }
    return ACL_SUCCESS;
}

static aclError turnTo(struct turn form, aclrtStream target, aclrtStream stream_handle, aclError (*run)(void *))
{
    struct stream *stream, *other;
    aclError code = streamOf(stream_handle, &stream);
    code = code == ACL_SUCCESS ? streamOf(target, &other) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (!stream->model || !other->model) {
        return ACL_ERROR_RT_STREAM_MODEL;
    }
    struct turn *turn = malloc(sizeof *turn);
    if (!turn) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *turn = form;
    turn->target = other;
    code = captureTask(stream, run, free, turn);
    if (code != ACL_SUCCESS) {
        free(turn);
    }
    return code;
}

aclError rtsActiveStream(aclrtStream target, aclrtStream stream)
{
    return turnTo((struct turn){0}, target, stream, runActivate);
}

aclError rtsSwitchStream(const void *left, aclrtCondition condition, const void *right, aclrtCompareDataType type,
                         aclrtStream target, aclrtStream stream)
{
    if ((uint32_t)condition > ACL_RT_LESS_OR_EQUAL || (uint32_t)type > ACL_RT_SWITCH_INT64) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return turnTo((struct turn){NULL, left, right, condition, type}, target, stream, runSwitch);
}
