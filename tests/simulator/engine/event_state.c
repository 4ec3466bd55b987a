/* What the host can ask of an event, and how it waits for one. */
#include <errno.h>
#include <time.h>

#include "event.h"

aclError aclsimEventQuery(aclrtEvent handle, bool *complete)
{
    struct event *event;
    aclError code = eventAcquire(handle, &event);
    if (code == ACL_SUCCESS) {
        *complete = !eventIsRecorded(event) || eventIsDone(event, event->recorded);
        pthread_mutex_unlock(&events_lock);
    }
    return code;
}

aclError aclsimEventQueryStatus(aclrtEvent handle, bool *recorded)
{
    struct event *event;
    aclError code = eventAcquire(handle, &event);
    if (code == ACL_SUCCESS) {
        *recorded = eventIsRecorded(event) ? eventIsDone(event, event->recorded) : event->extended;
        pthread_mutex_unlock(&events_lock);
    }
    return code;
}

aclError aclsimEventQueryWaitStatus(aclrtEvent handle, bool *complete)
{
    struct event *event;
    aclError code = eventAcquire(handle, &event);
    if (code == ACL_SUCCESS) {
        *complete = event->waits_done == event->waits;
        pthread_mutex_unlock(&events_lock);
    }
    return code;
}

aclError rtEventSynchronizeWithTimeout(aclrtEvent handle, int32_t timeout)
{
    struct event *event;
    struct timespec deadline;
    deadlineIn(&deadline, timeout > 0 ? timeout : 0);
    aclError code = eventAcquire(handle, &event);
    if (code != ACL_SUCCESS) {
        return code;
    }
    event->holders++;
    uint64_t target = eventIsRecorded(event) ? event->recorded : 0;
    int waited = 0;
    while (!eventIsDone(event, target) && waited != ETIMEDOUT) {
        waited = timeout < 0 ? pthread_cond_wait(&events_changed, &events_lock) : pthread_cond_timedwait(&events_changed, &events_lock, &deadline);
    }
    code = eventIsDone(event, target) ? ACL_SUCCESS : ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
    eventLetGo(event);
    pthread_mutex_unlock(&events_lock);
    return code;
}

static aclError timestamp(aclrtEvent handle, uint64_t *nanoseconds)
{
    struct event *event;
    aclError code = eventAcquire(handle, &event);
    if (code != ACL_SUCCESS) {
        return code;
    }
    bool timed = event->flags == 0 || (event->flags & ACL_EVENT_TIME_LINE) != 0;
    if (!eventIsRecorded(event)) {
        code = ACL_ERROR_RT_INTERNAL_ERROR;
    } else if (!timed || !eventIsDone(event, event->recorded)) {
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
