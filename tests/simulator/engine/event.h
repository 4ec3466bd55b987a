/* An event's generations: recorded, reached and reset. */
#ifndef ACLSIM_EVENT_H
#define ACLSIM_EVENT_H

#include "shared_mark.h"
#include "stream.h"

/* The flags of aclrtCreateEvent: the runtime's own flag for the order of streams, a time line and the stream's progress. */
#define EVENT_ORDERS 0x4u
#define EVENT_ORDINARY (EVENT_ORDERS | ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS)

/* A queued record, wait or reset. */
struct point {
    struct event *event;
    uint64_t generation;
    struct point *next; /* of a record, while no stream has come to it */
};

struct event {
    uint32_t flags;
    bool extended;             /* made by the Ex form: unrecorded counts as complete */
    unsigned holders;          /* the handle, and every queued task */
    uint64_t recorded, done;   /* generations: the latest record, the latest that a stream has come to */
    struct point *queued;      /* records that no stream has come to: of two streams, the later may be done first */
    const struct stream *by;   /* who recorded last; never followed */
    bool resets;               /* a reset was called after the latest record */
    bool set;                  /* the mark in the chip's table: records set it, resets clear it */
    uint64_t waits, waits_done;
    uint64_t done_ns;
    uint32_t id;               /* 0: none yet */
    uint64_t captured;         /* number of the capture that has a record of it */
    uint64_t captured_at;      /* which of the graph's marks that was */
    struct shared_mark *shared; /* of ACL_EVENT_IPC: seen by other processes */
};

/* One lock for all events: a wait may concern any of them. */
extern pthread_mutex_t events_lock;
extern pthread_cond_t events_changed;

/* Takes the lock when it succeeds. */
aclError eventAcquire(aclrtEvent handle, struct event **event);
/* The lock is held, here and below. */
void eventLetGo(struct event *event);
/* The lowest number that is free, as the driver gives them; false without one. */
bool eventTakeId(struct event *event);
bool eventIsRecorded(const struct event *event);
bool eventIsDone(const struct event *event, uint64_t generation);
/* Marks that a stream without a wait for them may pass: nothing to wait for, nothing to reset. */
bool eventOnlyMarks(const struct event *event);
/* Whether its stream is being captured; the capture ends such events. */
bool eventIsCaptured(const struct event *event);

#endif
