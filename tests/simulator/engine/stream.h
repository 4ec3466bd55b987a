/* One queue, one worker thread, in order. */
#ifndef ACLSIM_STREAM_H
#define ACLSIM_STREAM_H

#include "context.h"

struct graph;
struct group;
struct task;

struct stream {
    struct context *context;
    struct stream *next;
    int32_t id;
    uint32_t priority, flags;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct task *first, *last;
    uint64_t submitted, done;
    aclError error;                /* of a finished task, until the next synchronize */
    char complaint[320];           /* the text that goes with it, if there is one */
    pthread_t worker;
    bool started, stopping;
    _Atomic bool abandoned;        /* a forced end: stop waiting */
    _Atomic unsigned holders;
    struct graph *_Atomic capture; /* where tasks go instead of the queue */
    struct graph *_Atomic model;   /* the same, of one that is built by hand; the stream holds it */
    struct group *_Atomic updates; /* a group whose tasks are exchanged, instead */
    size_t updated;                /* how many of them have been */
    uint64_t failure_mode;
    uint32_t overflow_switch, tag, caches_information;
    uint32_t limits[2];            /* of its cube and vector cores; 0: the device's */
};

/* The topology lock is held: the stream joins its context's list. NULL without memory. */
struct stream *streamNew(struct context *context, uint32_t priority, uint32_t flags);
/* Completes the queue, or with `force` drops it, and ends the worker. The stream is
 * in no list any more. */
void streamEnd(struct stream *stream, bool force);
/* Stops what runs and drops what waits; the stream stays. */
void streamAbort(struct stream *stream);
/* Keeps the memory of a stream that another thread may end. */
void streamHold(struct stream *stream);
void streamRelease(struct stream *stream);

/* The stream of a handle, NULL for the default one; checks that it is
 * alive and of the current context. */
aclError streamOf(aclrtStream handle, struct stream **stream);
/* The same of any context; without a context only the default stream is missing. */
aclError streamAny(aclrtStream handle, struct stream **stream);
/* The stream whose worker is the calling thread, or NULL. */
struct stream *streamSelf(void);

aclError streamPush(struct stream *stream, aclError (*run)(void *), void (*drop)(void *), void *argument);
/* Waits for what is queued now and takes the pending error. */
aclError streamWait(struct stream *stream, int32_t timeout);

/* Deadline for pthread_cond_timedwait on a condition of the monotonic clock. */
struct timespec;
void deadlineIn(struct timespec *deadline, int32_t milliseconds);
void conditionInit(pthread_cond_t *condition);

/* notice.c: tells the program of a task that failed on the device; of other codes it tells nothing. */
void noticeFault(const struct stream *stream, uint32_t task, uint32_t thread, aclError code);

/* event.c and report.c: wake the workers that wait there. */
void eventsWake(void);
void reportsWake(void);
/* report.c: forgets the subscription of a stream that ends. */
void reportsForget(const struct stream *stream);

#endif
