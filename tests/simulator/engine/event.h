/* An event's generations: what was recorded, reached and reset. */
#ifndef ACLSIM_EVENT_H
#define ACLSIM_EVENT_H

#include "stream.h"

struct point;

struct event {
    uint32_t flags;
    bool extended;             /* made by the Ex form: unrecorded counts as complete */
    unsigned holders;          /* the handle, and every queued task */
    uint64_t recorded, done;   /* generations: the latest record, the latest that a stream has come to */
    struct point *queued;      /* records that no stream has come to: of two streams, the later may be done first */
    uint64_t cleared;          /* generation that a reset has wiped */
    uint64_t waits, waits_done;
    uint64_t done_ns;
};

/* One lock for all events: a wait may concern any of them. */
extern pthread_mutex_t events_lock;
extern pthread_cond_t events_changed;

/* Takes the lock when it succeeds. */
aclError eventAcquire(aclrtEvent handle, struct event **event);
/* The lock is held, here and below. */
void eventLetGo(struct event *event);
bool eventIsRecorded(const struct event *event);
bool eventIsDone(const struct event *event, uint64_t generation);

#endif
