/* Single tasks of graphs: queries and exchange. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "handles.h"
#include "kernel.h"
#include "kinds.h"

aclError rtsStreamBeginTaskGrp(aclrtStream handle)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    pthread_mutex_lock(&graphs_lock);
    struct member *member = stream->capture ? memberOf(stream->capture, stream) : NULL;
    struct group *group = member && !member->open ? calloc(1, sizeof *group) : NULL;
    if (group) {
        *group = (struct group){member->graph->groups, member->graph, 0};
        member->graph->groups = group;
        member->open = group;
    }
    pthread_mutex_unlock(&graphs_lock);
    return !member ? ACL_ERROR_RT_STREAM_NOT_CAPTURED : group ? ACL_SUCCESS : ACL_ERROR_STREAM_TASK_GROUP_STATUS;
}

aclError rtsStreamEndTaskGrp(aclrtStream handle, aclrtTaskGrp *out)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    pthread_mutex_lock(&graphs_lock);
    struct member *member = stream->capture ? memberOf(stream->capture, stream) : NULL;
    struct group *group = member ? member->open : NULL;
    if (group) {
        member->open = NULL;
        *out = group;
    }
    pthread_mutex_unlock(&graphs_lock);
    if (group) {
        handleAdd(HANDLE_GROUP, group);
    }
    return !member ? ACL_ERROR_RT_STREAM_NOT_CAPTURED : group ? ACL_SUCCESS : ACL_ERROR_STREAM_TASK_GROUP_STATUS;
}

aclError rtsStreamBeginTaskUpdate(aclrtStream handle, aclrtTaskGrp group)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (stream->capture || stream->model) {
        return stream->capture ? ACL_ERROR_RT_STREAM_CAPTURED : ACL_ERROR_RT_STREAM_MODEL;
    }
    if (!handleAlive(HANDLE_GROUP, group)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (stream->updates) {
        return ACL_ERROR_STREAM_TASK_GROUP_STATUS;
    }
    stream->updates = group;
    stream->updated = 0;
    return ACL_SUCCESS;
}

/* Every task of the group has to have been exchanged. */
aclError rtsStreamEndTaskUpdate(aclrtStream handle)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct group *group = stream->updates;
    stream->updates = NULL;
    return group && stream->updated == group->count ? ACL_SUCCESS : ACL_ERROR_STREAM_TASK_GROUP_STATUS;
}

/* The lock is held: the task of a group that comes at a place, counted over the graph. */
static struct step *taskAt(const struct group *group, size_t place)
{
    for (struct member *member = group->graph->members; member; member = member->next) {
        for (struct step *step = member->first; step; step = step->next) {
            if (step->group == group && place-- == 0) {
                return step;
            }
        }
    }
    return NULL;
}

aclError updateTask(struct stream *stream, aclError (*run)(void *), void (*drop)(void *), void *argument)
{
    pthread_mutex_lock(&graphs_lock);
    struct step *step = taskAt(stream->updates, stream->updated);
    struct step former = step ? *step : (struct step){0};
    bool same = step && step->run == run; /* a task takes the place of its own kind */
    if (same) {
        step->drop = drop;
        step->argument = argument;
        stream->updated++;
    }
    pthread_mutex_unlock(&graphs_lock);
    if (same && former.drop) {
        former.drop(former.argument);
    }
    return same ? ACL_SUCCESS : ACL_ERROR_STREAM_TASK_GROUP_STATUS;
}

aclError rtModelGetStreams(aclmdlRI handle, aclrtStream *streams, uint32_t *count)
{
    struct graph *graph = handle;
    if (!handleAlive(HANDLE_GRAPH, handle) || !count) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (graph->part) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    uint32_t room = *count, have = 0;
    pthread_mutex_lock(&graphs_lock);
    for (struct member *at = graph->members; at; at = at->next, have++) {
        if (streams && have < room) {
            handleAdd(HANDLE_MEMBER, at);
            streams[have] = at;
        }
    }
    pthread_mutex_unlock(&graphs_lock);
    *count = have;
    return streams && room < have ? ACL_ERROR_RT_PARAM_INVALID : ACL_SUCCESS;
}

/* Of a stream that the function above gave, or one that is being captured. */
aclError rtStreamGetTasks(aclrtStream handle, aclmdlRITask *tasks, uint32_t *count)
{
    const struct member *member = handle;
    if (!handle || !count) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&graphs_lock);
    if (!handleAlive(HANDLE_MEMBER, handle)) {
        const struct stream *stream = handle;
        const struct graph *graph = NULL;
        if (handleAlive(HANDLE_STREAM, handle)) {
            graph = stream->capture ? stream->capture : stream->model;
        }
        member = graph ? memberOf(graph, stream) : NULL;
    }
    uint32_t room = *count, have = 0;
    for (struct step *at = member ? member->first : NULL; at; at = at->next, have++) {
        if (tasks && have < room) {
            handleAdd(HANDLE_TASK, at);
            tasks[have] = at;
        }
    }
    pthread_mutex_unlock(&graphs_lock);
    *count = have;
    return !member || (tasks && room < have) ? ACL_ERROR_RT_PARAM_INVALID : ACL_SUCCESS;
}

aclError rtTaskGetType(aclmdlRITask task, aclmdlRITaskType *type)
{
    if (!handleAlive(HANDLE_TASK, task)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    const struct step *step = task;
    *type = kernelIs(step->run)                                ? ACL_MODEL_RI_TASK_KERNEL
            : eventTask(step->run) != ACL_MODEL_RI_TASK_DEFAULT ? eventTask(step->run)
                                                                : valueTask(step->run);
    return ACL_SUCCESS;
}

aclError rtTaskGetSeqId(aclmdlRITask task, uint32_t *number)
{
    if (!handleAlive(HANDLE_TASK, task)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    *number = (uint32_t)((struct step *)task)->number;
    return ACL_SUCCESS;
}

aclError rtModelTaskDisable(aclmdlRITask task)
{
    aclmdlRITaskType type;
    aclError code = rtTaskGetType(task, &type);
    if (code != ACL_SUCCESS || type == ACL_MODEL_RI_TASK_DEFAULT) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    ((struct step *)task)->disabled = true;
    return ACL_SUCCESS;
}

aclError rtTaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params)
{
    const struct step *step = task;
    aclmdlRITaskType type;
    aclError code = rtTaskGetType(task, &type);
    if (code != ACL_SUCCESS || type == ACL_MODEL_RI_TASK_DEFAULT) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    memset(params, 0, sizeof *params);
    params->type = type;
    params->taskGrp = step->group;
    if (type == ACL_MODEL_RI_TASK_KERNEL) {
        kernelDescribe(step->argument, &params->kernelTaskParams);
    } else if (eventTask(step->run) == type) {
        eventDescribe(step->argument, params);
    } else {
        valueDescribe(step->argument, params);
    }
    return ACL_SUCCESS;
}

aclError rtTaskSetParams(aclmdlRITask task, const aclmdlRITaskParams *params)
{
    struct step *step = task;
    aclmdlRITaskType type;
    aclError code = rtTaskGetType(task, &type);
    if (code != ACL_SUCCESS || params->type != type) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (type != ACL_MODEL_RI_TASK_KERNEL) {
        return valueTask(step->run) == type ? valueChange(step->argument, params) : ACL_ERROR_RT_PARAM_INVALID;
    }
    void *kernel;
    code = kernelMake(params->kernelTaskParams.funcHandle, params->kernelTaskParams.numBlocks,
                      params->kernelTaskParams.args, params->kernelTaskParams.argsSize, &kernel);
    if (code == ACL_SUCCESS) {
        step->drop(step->argument);
        step->argument = kernel;
        step->disabled = false;
    }
    return code;
}

aclError rtModelUpdate(aclmdlRI handle)
{
    const struct graph *graph = handle;
    if (!handleAlive(HANDLE_GRAPH, handle)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return graph->captured && !graph->part ? ACL_SUCCESS : ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}
