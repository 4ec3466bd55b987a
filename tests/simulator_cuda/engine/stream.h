/* Streams: one queue and one worker each, in order; work waits for points of other streams. */
#ifndef CUSIM_STREAM_H
#define CUSIM_STREAM_H

#include "state.h"

struct work;

/* A place in a stream: reached once that many of its tasks are done. */
struct point {
    CUstream stream;
    uint64_t ticket;
};

/* The points that come before a stream's next task, one a stream at most. */
struct clock {
    struct { uint64_t stream; uint64_t ticket; } *entries;
    size_t count, room;
};

struct task;

struct CUstream_st {
    CUcontext context;
    CUstream next;
    uint64_t id;
    unsigned flags;
    int priority;
    bool is_legacy;
    uint64_t owner;                /* the thread of a per-thread default stream, else 0 */
    struct task *first, *last;
    uint64_t submitted, done;
    pthread_cond_t changed;        /* something is done, or there is something to do */
    bool started, stopping;
    unsigned holders;
    struct clock clock;
};

CUstream streamNew(CUcontext context, unsigned flags, int priority);
/* Its work still ends; the worker then ends with it. */
void streamEnd(CUstream stream);
void streamHold(CUstream stream);
void streamRelease(CUstream stream);
/* 0 and 1 are the legacy stream, 2 is the thread's own. */
CUresult streamOf(CUcontext context, CUstream handle, CUstream *stream);
bool isBlocking(const struct CUstream_st *stream);

/* Takes the work over, also where it fails. */
CUresult submit(CUstream stream, struct work *work);
/* The same, and after `point` too if that is not NULL. */
CUresult submitAfter(CUstream stream, struct work *work, const struct point *point);

bool isReached(struct point point);
/* These wait without the lock and answer the context's fault. */
CUresult waitForPoint(CUcontext context, struct point point);
CUresult waitForStream(CUstream stream);
CUresult waitForContext(CUcontext context);
/* All streams of all contexts of a device: what releases memory waits for that. */
void waitForDevice(int device);

void clockJoin(struct clock *clock, const struct clock *other);
void clockAdd(struct clock *clock, uint64_t stream, uint64_t ticket);
void clockDrop(struct clock *clock);
/* Whether the stream's next task comes after the point. */
bool isOrdered(CUstream stream, struct point point);

#endif
