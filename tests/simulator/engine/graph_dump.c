/* A graph as text: for people, and as a list of events for a trace viewer. */
#include <stdio.h>

#include "graph.h"
#include "handles.h"
#include "kernel.h"
#include "kinds.h"

static const char *nameOf(const struct step *step)
{
    static const char *const names[] = {
        [ACL_MODEL_RI_TASK_DEFAULT] = "OTHER",           [ACL_MODEL_RI_TASK_KERNEL] = "KERNEL",
        [ACL_MODEL_RI_TASK_EVENT_RECORD] = "EVENT_RECORD", [ACL_MODEL_RI_TASK_EVENT_WAIT] = "EVENT_WAIT",
        [ACL_MODEL_RI_TASK_EVENT_RESET] = "EVENT_RESET",   [ACL_MODEL_RI_TASK_VALUE_WRITE] = "VALUE_WRITE",
        [ACL_MODEL_RI_TASK_VALUE_WAIT] = "VALUE_WAIT",
    };
    aclmdlRITaskType type = kernelIs(step->run) ? ACL_MODEL_RI_TASK_KERNEL : eventTask(step->run);
    return names[type != ACL_MODEL_RI_TASK_DEFAULT ? type : valueTask(step->run)];
}

/* The runtime prints into its log, and there is none here. */
aclError rtModelDebugDotPrint(aclmdlRI graph)
{
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    return handleAlive(HANDLE_GRAPH, graph) ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

/* Streams are rows, and the tasks' numbers take the place of time. */
aclError rtModelDebugJsonPrint(aclmdlRI handle, const char *path)
{
    const struct graph *graph = handle;
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    FILE *file = handleAlive(HANDLE_GRAPH, handle) ? fopen(path, "w") : NULL;
    if (!file) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    const char *before = "";
    uint32_t row = 0;
    fprintf(file, "[\n");
    pthread_mutex_lock(&graphs_lock);
    for (const struct member *member = graph->members; member; member = member->next, row++) {
        for (const struct step *step = member->first; step; step = step->next, before = ",\n") {
            unsigned long long number = step->number;
            fprintf(file,
                    "%s{\"name\": \"%s\", \"ph\": \"X\", \"pid\": \"model %u\", \"tid\": \"stream %u\", \"ts\": %llu, \"dur\": 1, "
                    "\"args\": {\"model_id\": %u, \"stream\": %u, \"task_id\": %llu, \"task_type\": \"%s\"}}",
                    before, nameOf(step), graph->id, row, number, graph->id, row, number, nameOf(step));
        }
    }
    pthread_mutex_unlock(&graphs_lock);
    fprintf(file, "\n]\n");
    fclose(file);
    return ACL_SUCCESS;
}
