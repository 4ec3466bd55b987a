/* Graphs and their tasks, and how long they live. */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handles.h"

static uint64_t serials;

struct graph *graphNew(bool captured)
{
    struct graph *graph = calloc(1, sizeof *graph);
    if (!graph || !handleAdd(HANDLE_GRAPH, graph)) {
        free(graph);
        return NULL;
    }
    pthread_mutex_lock(&graphs_lock);
    graph->serial = ++serials;
    graph->id = (uint32_t)graph->serial - 1;
    graph->holders = 1;
    graph->captured = captured;
    pthread_mutex_unlock(&graphs_lock);
    return graph;
}

static void stepsEnd(struct step *step)
{
    while (step) {
        struct step *next = step->next;
        handleDrop(HANDLE_TASK, step);
        if (step->drop) {
            step->drop(step->argument);
        }
        free(step);
        step = next;
    }
}

void graphLetGo(void *argument)
{
    struct graph *graph = argument;
    pthread_mutex_lock(&graphs_lock);
    bool last = --graph->holders == 0;
    pthread_mutex_unlock(&graphs_lock);
    if (!last) {
        return;
    }
    for (struct member *at = graph->members, *next; at; at = next) {
        next = at->next;
        handleDrop(HANDLE_MEMBER, at);
        stepsEnd(at->first);
        free(at);
    }
    for (struct group *at = graph->groups, *next; at; at = next) {
        next = at->next;
        handleDrop(HANDLE_GROUP, at);
        free(at);
    }
    for (struct destroy_call *at = graph->calls, *next; at; at = next) {
        next = at->next;
        free(at);
    }
    free(graph);
}

struct member *memberNew(struct graph *graph, struct stream *stream)
{
    struct member *member = calloc(1, sizeof *member);
    struct member **end = &graph->members;
    if (member) {
        while (*end) {
            end = &(*end)->next;
        }
        *end = member;
        member->graph = graph;
        member->stream = stream;
    }
    return member;
}

struct member *memberOf(const struct graph *graph, const struct stream *stream)
{
    struct member *at = graph->members;
    while (at && at->stream != stream) {
        at = at->next;
    }
    return at;
}

aclError graphAppend(struct member *member, aclError (*run)(void *), void (*drop)(void *), void *argument)
{
    struct step *step = calloc(1, sizeof *step);
    if (!step) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *step = (struct step){NULL, member->graph->steps++, run, drop, argument, member->open, false};
    *(member->last ? &member->last->next : &member->first) = step;
    member->last = step;
    member->mark = 0;
    if (member->open) {
        member->open->count++;
    }
    return ACL_SUCCESS;
}

aclError captureTask(struct stream *stream, aclError (*run)(void *), void (*drop)(void *), void *argument)
{
    if (stream->updates) {
        return updateTask(stream, run, drop, argument);
    }
    aclError code = ACL_SUCCESS;
    pthread_mutex_lock(&graphs_lock);
    struct graph *graph = stream->capture ? stream->capture : stream->model;
    struct member *member = graph ? memberOf(graph, stream) : NULL;
    if (member) {
        code = graph->complete ? ACL_ERROR_RT_STREAM_MODEL : graphAppend(member, run, drop, argument);
    }
    pthread_mutex_unlock(&graphs_lock);
    return member ? code : streamPush(stream, run, drop, argument);
}

static struct graph *known(aclmdlRI handle)
{
    return handleAlive(HANDLE_GRAPH, handle) ? handle : NULL;
}

aclError rtModelExecute(aclmdlRI handle, aclrtStream stream_handle)
{
    struct stream *stream;
    struct graph *graph = known(handle);
    aclError code = streamOf(stream_handle, &stream);
    if (!graph || code != ACL_SUCCESS) {
        return graph ? code : ACL_ERROR_RT_PARAM_INVALID;
    }
    if (stream->capture) {
        return ACL_ERROR_RT_STREAM_CAPTURED;
    }
    if (stream->model || graph->part || (stream->flags & ACL_STREAM_PERSISTENT)) {
        return graph->part ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&graphs_lock);
    bool ready = graph->complete;
    bool endless = !graph->captured && !graph->ended;
    graph->holders += ready && !endless;
    pthread_mutex_unlock(&graphs_lock);
    if (!ready || endless) { /* a model without aclmdlRIEndTask never ends (ACL_ERROR_RT_MODEL_EXECUTE: model not end) */
        return ready ? ACL_ERROR_RT_MODEL_EXECUTE : ACL_ERROR_RT_MODEL_CAPTURED;
    }
    return aclsimEnqueue(stream_handle, graphPerform, graphLetGo, graph);
}

aclError rtModelDestroy(aclmdlRI handle)
{
    struct graph *graph = known(handle);
    if (graph && graph->part) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    if (!graph || !handleDrop(HANDLE_GRAPH, handle)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    for (struct destroy_call *at = graph->calls; at; at = at->next) {
        at->function(at->data);
    }
    graphLetGo(graph);
    return ACL_SUCCESS;
}

aclError rtModelAbort(aclmdlRI handle)
{
    struct graph *graph = known(handle);
    if (!graph) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    graph->aborted = true;
    return ACL_SUCCESS;
}

aclError rtModelSetName(aclmdlRI handle, const char *name)
{
    struct graph *graph = known(handle);
    if (!graph || strlen(name) >= sizeof graph->name) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    strcpy(graph->name, name);
    return ACL_SUCCESS;
}

aclError rtModelGetName(aclmdlRI handle, uint32_t room, char *name)
{
    const struct graph *graph = known(handle);
    if (!graph || room <= strlen(graph->name)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    snprintf(name, room, "%s", graph->name);
    return ACL_SUCCESS;
}

aclError rtModelGetId(aclmdlRI handle, uint32_t *id)
{
    const struct graph *graph = known(handle);
    if (!graph) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    *id = graph->id;
    return ACL_SUCCESS;
}

aclError rtModelOnDestroy(aclmdlRI handle, void (*function)(void *), void *data)
{
    struct graph *graph = known(handle);
    struct destroy_call *call = graph && function && !graph->part ? calloc(1, sizeof *call) : NULL;
    if (!call) {
        return graph && graph->part ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&graphs_lock);
    struct destroy_call **end = &graph->calls;
    while (*end) {
        end = &(*end)->next;
    }
    *call = (struct destroy_call){NULL, function, data};
    *end = call;
    pthread_mutex_unlock(&graphs_lock);
    return ACL_SUCCESS;
}

aclError rtModelForgetDestroy(aclmdlRI handle, void (*function)(void *))
{
    struct graph *graph = known(handle);
    if (!graph || !function) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&graphs_lock);
    struct destroy_call **at = &graph->calls;
    while (*at && (*at)->function != function) {
        at = &(*at)->next;
    }
    struct destroy_call *gone = *at;
    if (gone) {
        *at = gone->next;
        free(gone);
    }
    pthread_mutex_unlock(&graphs_lock);
    return gone ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}
