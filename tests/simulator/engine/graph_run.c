/* Runs a graph in the worker of the stream that it is executed on. Of the parts that are active the task that was queued
 * first comes next, so whatever a task waits for has run before it. */
#include "graph.h"

#include <stdlib.h>

struct cursor {
    const struct member *member;
    struct step *at;
    bool active;
};

/* The graph that the calling worker runs; a conditional task nests. */
struct run {
    struct run *outer;
    struct cursor *cursors, *own;
    size_t count;
    bool moved;
};

static _Thread_local struct run *running;

static struct cursor *next(struct run *run)
{
    struct cursor *best = NULL;
    for (size_t i = 0; i < run->count; i++) {
        struct cursor *cursor = &run->cursors[i];
        if (cursor->active && cursor->at && (!best || cursor->at->number < best->at->number)) {
            best = cursor;
        }
    }
    return best;
}

aclError graphPerform(void *argument)
{
    struct graph *graph = argument;
    const struct stream *worker = streamSelf();
    struct run run = {running, NULL, NULL, 0, false};
    for (struct member *at = graph->members; at; at = at->next) {
        run.count++;
    }
    run.cursors = calloc(run.count ? run.count : 1, sizeof *run.cursors);
    if (!run.cursors) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    size_t filled = 0;
    for (struct member *at = graph->members; at; at = at->next) {
        run.cursors[filled++] = (struct cursor){at, at->first, !at->waits_for_start};
    }
    running = &run;
    graph->aborted = false;
    aclError code = ACL_SUCCESS;
    while ((run.own = next(&run)) && !worker->abandoned && !graph->aborted) {
        struct step *step = run.own->at;
        run.own->at = step->next;
        aclError one = step->disabled ? ACL_SUCCESS : step->run(step->argument);
        code = code == ACL_SUCCESS ? one : code;
    }
    running = run.outer;
    free(run.cursors);
    return code;
}

/* The label may belong to another stream's part, which continues there. The jumping part ends. */
void graphJump(const void *argument)
{
    struct run *run = running;
    struct cursor *found = NULL;
    struct step *target = NULL;
    for (size_t i = 0; run && i < run->count && !target; i++) {
        found = &run->cursors[i];
        target = found->member->first;
        while (target && target->argument != argument) {
            target = target->next;
        }
    }
    if (run) {
        run->own->at = NULL;
    }
    if (target) {
        found->at = target;
        found->active = true;
    }
}

void graphActivate(const struct stream *stream)
{
    for (size_t i = 0; running && i < running->count; i++) {
        if (running->cursors[i].member->stream == stream) {
            running->cursors[i].at = running->cursors[i].member->first;
            running->cursors[i].active = true;
        }
    }
}

void graphStop(void)
{
    if (running) {
        running->own->at = NULL;
    }
}
