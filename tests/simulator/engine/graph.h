/* Graphs: captured work, or work queued on the streams of a model built by hand. */
#ifndef ACLSIM_GRAPH_H
#define ACLSIM_GRAPH_H

#include "capture.h"

/* One task. Steps are numbered over the whole graph in the order of the calls. */
struct step {
    struct step *next; /* of its member */
    uint64_t number;
    aclError (*run)(void *);
    void (*drop)(void *);
    void *argument;
    struct group *group; /* whose tasks may be exchanged, or NULL */
    bool disabled;
};

/* A stream's part of a graph. */
struct member {
    struct member *next;
    struct graph *graph;
    struct stream *stream; /* while it takes part; never followed afterwards */
    struct step *first, *last;
    bool waits_for_start;  /* runs only once another member activates it */
    uint64_t mark;         /* of the record that came last, or 0 */
    bool joined, joined_origin; /* a stream, or the first stream, waits for that record */
    struct group *open;    /* the group that takes captured tasks */
};

/* Tasks between aclmdlRICaptureTaskGrpBegin and ...End. */
struct group {
    struct group *next; /* of the graph */
    struct graph *graph;
    size_t count;
};

struct destroy_call {
    struct destroy_call *next;
    void (*function)(void *);
    void *data;
};

struct graph {
    struct graph *next;     /* of those that are being captured */
    uint64_t serial;        /* never comes again, as an address may */
    unsigned holders;       /* the handle, every queued execution, every bound stream, every step that runs it */
    struct context *context;
    pthread_t thread;
    aclmdlRICaptureMode mode;
    bool captured;          /* else built by hand */
    bool part;              /* of a conditional task: captured into, never executed alone */
    bool complete, ended, aborted;
    struct member *members; /* the first stream's comes first */
    struct group *groups;
    struct destroy_call *calls;
    uint64_t steps;
    uint32_t id;
    char name[256];
};

/* Guards graphs, members and the capture of streams. */
extern pthread_mutex_t graphs_lock;

struct graph *graphNew(bool captured);
void graphLetGo(void *graph);
/* The lock is held, here and below. */
struct member *memberNew(struct graph *graph, struct stream *stream);
struct member *memberOf(const struct graph *graph, const struct stream *stream);
aclError graphAppend(struct member *member, aclError (*run)(void *), void (*drop)(void *), void *argument);

/* graph_run.c: performs a graph in the calling worker. */
aclError graphPerform(void *graph);

#endif
