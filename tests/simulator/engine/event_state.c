/* Host queries of and waits for events. */
#include <errno.h>
#include <time.h>

#include "event.h"

/* What no event of a kind answers: external and shared ones, those of the Ex form, and any while it is captured
 * (api_error.cc, EventQuery and the like). Takes the lock when it succeeds. */
static aclError ask(aclrtEvent handle, struct event **event, uint32_t kinds, bool extended)
{
    aclError code = eventAcquire(handle, event);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (((*event)->flags & kinds) || (extended && (*event)->extended)) {
        code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    } else if (eventIsCaptured(*event)) {
        code = ACL_ERROR_RT_EVENT_CAPTURED;
    }
    if (code != ACL_SUCCESS) {
        pthread_mutex_unlock(&events_lock);
    }
    return code;
}

/* The lock is held. */
static bool isComplete(const struct event *event)
{
    if (event->shared) {
        return markIsReached(event->shared, markLatest(event->shared));
    }
    return !eventIsRecorded(event) || eventIsDone(event, event->recorded);
}

aclError aclsimEventQuery(aclrtEvent handle, bool *complete)
{
    struct event *event;
    aclError code = ask(handle, &event, ACL_EVENT_EXTERNAL, true);
    if (code == ACL_SUCCESS) {
        *complete = isComplete(event);
        pthread_mutex_unlock(&events_lock);
    }
    return code;
}

/* A reset changes nothing here (event.cc, QueryEventStatus). */
aclError aclsimEventQueryStatus(aclrtEvent handle, bool *recorded)
{
    struct event *event;
    aclError code = ask(handle, &event, ACL_EVENT_EXTERNAL, false);
    if (code == ACL_SUCCESS) {
        *recorded = isComplete(event) && (event->extended || eventIsRecorded(event));
        pthread_mutex_unlock(&events_lock);
    }
    return code;
}

aclError aclsimEventQueryWaitStatus(aclrtEvent handle, bool *complete)
{
    struct event *event;
    aclError code = ask(handle, &event, ACL_EVENT_EXTERNAL, true);
    if (code == ACL_SUCCESS) {
        *complete = event->waits_done == event->waits;
        pthread_mutex_unlock(&events_lock);
    }
    return code;
}

aclError rtEventSynchronizeWithTimeout(aclrtEvent handle, int32_t timeout)
{
    struct event *event;
    struct timespec deadline, soon;
    deadlineIn(&deadline, timeout > 0 ? timeout : 0);
    aclError code = ask(handle, &event, ACL_EVENT_EXTERNAL, false);
    if (code != ACL_SUCCESS) {
        return code;
    }
    event->holders++;
    uint64_t target = event->shared ? markLatest(event->shared) : event->recorded;
    int waited = 0;
    while (event->shared ? !markIsReached(event->shared, target) : !eventIsDone(event, target)) {
        if (timeout >= 0 && waited == ETIMEDOUT) {
            code = ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
            break;
        }
        if (event->shared) { /* other processes send no signal */
            deadlineIn(&soon, 1);
            pthread_cond_timedwait(&events_changed, &events_lock, &soon);
            clock_gettime(CLOCK_MONOTONIC, &soon);
            bool late = soon.tv_sec > deadline.tv_sec || (soon.tv_sec == deadline.tv_sec && soon.tv_nsec > deadline.tv_nsec);
            waited = late ? ETIMEDOUT : 0;
        } else {
            waited = timeout < 0 ? pthread_cond_wait(&events_changed, &events_lock)
                                 : pthread_cond_timedwait(&events_changed, &events_lock, &deadline);
        }
    }
    eventLetGo(event);
    pthread_mutex_unlock(&events_lock);
    return code;
}

static aclError timestamp(aclrtEvent handle, uint64_t *nanoseconds)
{
    struct event *event;
    aclError code = ask(handle, &event, ACL_EVENT_EXTERNAL | ACL_EVENT_IPC, false);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (!eventIsRecorded(event)) {
        code = ACL_ERROR_RT_INTERNAL_ERROR;
    } else if ((event->flags & ACL_EVENT_TIME_LINE) == 0 || !eventIsDone(event, event->recorded)) {
        code = ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID;
    }
    *nanoseconds = event->done_ns;
    pthread_mutex_unlock(&events_lock);
    return code;
}

aclError rtEventElapsedTime(float *ms, aclrtEvent start, aclrtEvent end)
{
    uint64_t from, to;
    aclError code = timestamp(start, &from);
    code = code == ACL_SUCCESS ? timestamp(end, &to) : code;
    if (code == ACL_SUCCESS) {
        *ms = (float)((double)(int64_t)(to - from) / 1e6);
    }
    return code;
}

aclError rtEventGetTimeStamp(uint64_t *microseconds, aclrtEvent handle)
{
    uint64_t nanoseconds;
    aclError code = timestamp(handle, &nanoseconds);
    if (code == ACL_SUCCESS) {
        *microseconds = nanoseconds / 1000;
    }
    return code;
}
