/* Host functions in stream order: subscribed ones run in the thread that processes
 * reports, plain ones in the stream's own worker. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "stream.h"

struct subscription {
    struct subscription *next;
    const struct stream *stream;
    uint64_t thread;
};

struct report {
    struct report *next;
    aclrtCallback callback;
    void *data;
    uint64_t thread;
    const struct stream *stream;
    bool block, finished;
    unsigned holders;   /* the stream's task, and the queue of reports */
};

static struct subscription *subscriptions;
static struct report *pending;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void)
{
    conditionInit(&changed);
}

static void enter(void)
{
    pthread_once(&once, prepare);
    pthread_mutex_lock(&lock);
}

static void leave(void)
{
    pthread_mutex_unlock(&lock);
}

void reportsWake(void)
{
    enter();
    pthread_cond_broadcast(&changed);
    leave();
}

static struct subscription **findStream(const struct stream *stream)
{
    struct subscription **at = &subscriptions;
    while (*at && (*at)->stream != stream) {
        at = &(*at)->next;
    }
    return at;
}

static bool isSubscribed(uint64_t thread)
{
    for (struct subscription *at = subscriptions; at; at = at->next) {
        if (at->thread == thread) {
            return true;
        }
    }
    return false;
}

static void drop(struct subscription **at)
{
    struct subscription *gone = *at;
    *at = gone->next;
    free(gone);
    pthread_cond_broadcast(&changed);
}

void reportsForget(const struct stream *stream)
{
    enter();
    struct subscription **at = findStream(stream);
    if (*at) {
        drop(at);
    }
    leave();
}

aclError rtSubscribeReport(uint64_t thread, aclrtStream handle)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    enter();
    struct subscription *fresh = calloc(1, sizeof *fresh);
    if (!fresh || *findStream(stream)) { /* one thread for a stream, many streams for a thread */
        free(fresh);
        code = fresh ? ACL_ERROR_RT_STREAM_SUBSCRIBE : ACL_ERROR_RT_INTERNAL_ERROR;
    } else {
        *fresh = (struct subscription){subscriptions, stream, thread};
        subscriptions = fresh;
    }
    leave();
    return code;
}

aclError rtUnSubscribeReport(uint64_t thread, aclrtStream handle)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    enter();
    struct subscription **at = findStream(stream);
    if (!*at) {
        code = ACL_ERROR_RT_STREAM_SUBSCRIBE;
    } else if ((*at)->thread != thread) {
        code = ACL_ERROR_RT_THREAD_SUBSCRIBE;
    } else {
        drop(at);
    }
    leave();
    return code;
}

static void letGo(struct report *report)
{
    if (--report->holders == 0) {
        free(report);
    }
}

static struct report **pendingFor(uint64_t thread)
{
    struct report **at = &pending;
    while (*at && (*at)->thread != thread) {
        at = &(*at)->next;
    }
    return at;
}

aclError rtProcessReport(int32_t timeout)
{
    uint64_t self = (uint64_t)pthread_self();
    struct timespec deadline;
    deadlineIn(&deadline, timeout > 0 ? timeout : 0);
    enter();
    aclError code = isSubscribed(self) ? ACL_SUCCESS : ACL_ERROR_RT_THREAD_SUBSCRIBE;
    while (code == ACL_SUCCESS && !*pendingFor(self)) {
        int waited = timeout < 0 ? pthread_cond_wait(&changed, &lock) : pthread_cond_timedwait(&changed, &lock, &deadline);
        if (waited == ETIMEDOUT && !*pendingFor(self)) {
            code = ACL_ERROR_RT_REPORT_TIMEOUT;
        } else if (!isSubscribed(self) && !*pendingFor(self)) {
            code = ACL_ERROR_RT_THREAD_SUBSCRIBE;
        }
    }
    for (struct report **at; code == ACL_SUCCESS && *(at = pendingFor(self));) {
        struct report *report = *at;
        *at = report->next;
        leave(); /* the callback may call us */
        report->callback(report->data);
        enter();
        report->finished = true;
        pthread_cond_broadcast(&changed);
        letGo(report);
    }
    leave();
    return code;
}

static aclError runReport(void *argument)
{
    struct report *report = argument;
    struct stream *stream = streamSelf();
    enter();
    struct report **end = &pending;
    while (*end) {
        end = &(*end)->next;
    }
    *end = report;
    report->holders++;
    pthread_cond_broadcast(&changed);
    while (report->block && !report->finished && !stream->abandoned && isSubscribed(report->thread)) {
        pthread_cond_wait(&changed, &lock);
    }
    leave();
    return ACL_SUCCESS;
}

static void dropReport(void *argument)
{
    enter();
    letGo(argument);
    leave();
}

aclError rtCallbackLaunch(aclrtCallback callback, void *data, aclrtStream handle, bool block)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (stream->capture || stream->model) {
        return stream->capture ? ACL_ERROR_RT_STREAM_CAPTURED : ACL_ERROR_RT_STREAM_MODEL;
    }
    enter();
    struct subscription *subscription = *findStream(stream);
    uint64_t thread = subscription ? subscription->thread : 0;
    leave();
    if (!subscription) {
        return ACL_ERROR_RT_STREAM_NO_CB_REG;
    }
    struct report *report = calloc(1, sizeof *report);
    if (!report) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *report = (struct report){NULL, callback, data, thread, stream, block, false, 1};
    code = streamPush(stream, runReport, dropReport, report);
    if (code != ACL_SUCCESS) {
        free(report);
    }
    return code;
}

struct host_call {
    aclrtHostFunc function;
    void *args;
};

static aclError runHostCall(void *argument)
{
    struct host_call *call = argument;
    call->function(call->args);
    return ACL_SUCCESS;
}

aclError rtsLaunchHostFunc(aclrtStream handle, aclrtHostFunc function, void *args)
{
    struct host_call *call = malloc(sizeof *call);
    if (!call) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *call = (struct host_call){function, args};
    return aclsimEnqueue(handle, runHostCall, free, call);
}
