/* Conditional tasks of captured graphs: a value on the device decides which of the task's own graphs run. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "handles.h"

struct condition {
    uint64_t *value;   /* on the device */
    uint64_t first;    /* its value when the graph starts, if `assigns` */
    bool assigns;
    struct graph *graph;
};

struct choice {
    struct condition *condition;
    aclmdlRICondTaskType type;
    uint32_t count;
    struct graph *parts[];
};

aclError rtModelCondHandleCreate(aclmdlRI handle, uint32_t first, uint32_t flag, aclmdlRICondHandle *out)
{
    struct graph *graph = handle;
    if (flag > ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT || !handleAlive(HANDLE_GRAPH, handle)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (!graph->captured || graph->complete) {
        return graph->captured ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    struct condition *condition = calloc(1, sizeof *condition);
    void *value = NULL;
    aclError code = condition ? rtMalloc(&value, sizeof *condition->value, ACL_MEM_MALLOC_HUGE_FIRST, 0)
                              : ACL_ERROR_RT_MEMORY_ALLOCATION;
    if (code != ACL_SUCCESS || !handleAdd(HANDLE_CONDITION, condition)) {
        free(condition);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *condition = (struct condition){value, first, flag == ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, graph};
    *out = condition;
    return ACL_SUCCESS;
}

aclError rtModelCondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **address)
{
    if (!handleAlive(HANDLE_CONDITION, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *address = ((struct condition *)handle)->value;
    return ACL_SUCCESS;
}

static bool load(const struct condition *condition, uint64_t *value)
{
    uint64_t reach;
    const void *from = aclsimView(condition->value, sizeof *value, &reach);
    if (reach == sizeof *value) {
        memcpy(value, from, sizeof *value);
    }
    return reach == sizeof *value;
}

/* The first task of the graph that has the handle: gives the value that it starts with. */
static aclError runAssign(void *argument)
{
    const struct condition *condition = argument;
    uint64_t reach;
    void *to = aclsimView(condition->value, sizeof condition->first, &reach);
    if (reach != sizeof condition->first) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    memcpy(to, &condition->first, sizeof condition->first);
    return ACL_SUCCESS;
}

static aclError runChoice(void *argument)
{
    const struct choice *choice = argument;
    const struct stream *worker = streamSelf();
    uint64_t value = 0;
    aclError code = load(choice->condition, &value) ? ACL_SUCCESS : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    switch (choice->type) {
    case ACL_MODEL_RI_COND_TYPE_WHILE:
        while (code == ACL_SUCCESS && value && !worker->abandoned && !choice->condition->graph->aborted) {
            code = graphPerform(choice->parts[0]);
            code = code == ACL_SUCCESS && !load(choice->condition, &value) ? ACL_ERROR_RT_DRV_INTERNAL_ERROR : code;
        }
        break;
    case ACL_MODEL_RI_COND_TYPE_IF:
        value = value ? 0 : 1;
        __attribute__((fallthrough));
    default:
        if (code == ACL_SUCCESS && value < choice->count) {
            code = graphPerform(choice->parts[value]);
        }
    }
    return code;
}

static void dropChoice(void *argument)
{
    struct choice *choice = argument;
    for (uint32_t i = 0; i < choice->count; i++) {
        handleDrop(HANDLE_GRAPH, choice->parts[i]);
        graphLetGo(choice->parts[i]);
    }
    if (handleDrop(HANDLE_CONDITION, choice->condition)) {
        (void)rtFree(choice->condition->value);
        free(choice->condition);
    }
    free(choice);
}

static bool countFits(const aclmdlRICondTaskParams *params)
{
    switch (params->type) {
    case ACL_MODEL_RI_COND_TYPE_IF:
        return params->size == 1 || params->size == 2;
    case ACL_MODEL_RI_COND_TYPE_WHILE:
        return params->size == 1;
    default:
        return params->size > 0;
    }
}

aclError rtStreamAddCondTask(aclmdlRICondTaskParams *params, aclrtStream handle, uint32_t flags)
{
    struct stream *stream;
    struct condition *condition = params->handle;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if ((uint32_t)params->type > ACL_MODEL_RI_COND_TYPE_SWITCH || flags != 0 || !params->handle || !params->modelRIArray ||
        !handleAlive(HANDLE_CONDITION, condition) || !countFits(params)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (!stream->capture) {
        return ACL_ERROR_RT_STREAM_NOT_CAPTURED;
    }
    struct choice *choice = calloc(1, sizeof *choice + params->size * sizeof *choice->parts);
    if (!choice) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *choice = (struct choice){condition, params->type, 0};
    for (uint32_t i = 0; i < params->size && (choice->parts[i] = graphNew(true)); i++) {
        choice->parts[i]->part = true;
        params->modelRIArray[i] = choice->parts[i];
        choice->count++;
    }
    code = condition->assigns ? captureTask(stream, runAssign, NULL, condition) : ACL_SUCCESS;
    code = code == ACL_SUCCESS ? captureTask(stream, runChoice, dropChoice, choice) : code;
    if (code != ACL_SUCCESS) {
        dropChoice(choice);
    }
    return code;
}
