/* Workers start with the first task, so programs that only allocate stay single-threaded. */
#define _GNU_SOURCE
#include "capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "handles.h"
#include "pool.h"
#include "settings.h"

struct task {
    struct task *next;
    aclError (*run)(void *argument);
    void (*drop)(void *argument);
    void *argument;
    uint32_t number, thread; /* of the stream's tasks; who queued it */
};

static _Atomic int32_t next_id;
static _Thread_local struct stream *self;
static _Thread_local uint32_t last_number; /* of the task that this thread queued last */

void conditionInit(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void deadlineIn(struct timespec *deadline, int32_t milliseconds)
{
    clock_gettime(CLOCK_MONOTONIC, deadline);
    deadline->tv_sec += milliseconds / 1000;
    deadline->tv_nsec += (milliseconds % 1000) * 1000000L;
    if (deadline->tv_nsec >= 1000000000L) {
        deadline->tv_sec++;
        deadline->tv_nsec -= 1000000000L;
    }
}

struct stream *streamSelf(void)
{
    return self;
}

uint32_t rtThreadLastTask(void)
{
    return last_number;
}

struct stream *streamNew(struct context *context, uint32_t priority, uint32_t flags)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream) {
        return NULL;
    }
    stream->context = context;
    stream->holders = 1;
    stream->id = next_id++;
    stream->priority = priority;
    stream->flags = flags;
    pthread_mutex_init(&stream->lock, NULL);
    conditionInit(&stream->changed);
    if (!handleAdd(HANDLE_STREAM, stream)) {
        free(stream);
        return NULL;
    }
    stream->next = context->streams;
    context->streams = stream;
    return stream;
}

/* Whether the next task of a stream has the delay: all have, or with a seed a quarter of them, the same in each run. */
static bool isLate(const struct stream *stream)
{
    const uint64_t seed = settings()->delay_seed;
    const uint64_t number = (seed << 40 ^ (uint64_t)stream->id << 20 ^ stream->done) * 0x9e3779b97f4a7c15u;
    return seed == 0 || number >> 62 == 0;
}

static aclError perform(struct stream *stream, struct task *task)
{
    uint64_t delay = isLate(stream) ? settings()->delay_us : 0;
    if (delay) {
        struct timespec pause = {(time_t)(delay / 1000000), (long)(delay % 1000000) * 1000};
        nanosleep(&pause, NULL);
    }
    aclError injected = aclsimInjected("sync");
    aclError code = task->run(task->argument);
    return injected != ACL_SUCCESS ? injected : code;
}

static void discard(struct task *task)
{
    if (task->drop) {
        task->drop(task->argument);
    }
    free(task);
}

static void *work(void *argument)
{
    struct stream *stream = argument;
    self = stream;
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        while (!stream->first && !stream->stopping) {
            pthread_cond_wait(&stream->changed, &stream->lock);
        }
        struct task *task = stream->first;
        if (!task) {
            break;
        }
        stream->first = task->next;
        stream->last = stream->first ? stream->last : NULL;
        pthread_mutex_unlock(&stream->lock);
        aclError code = stream->abandoned ? ACL_SUCCESS : perform(stream, task);
        noticeFault(stream, task->number, task->thread, code);
        discard(task);
        pthread_mutex_lock(&stream->lock);
        stream->error = stream->error != ACL_SUCCESS ? stream->error : code;
        stream->done++;
        pthread_cond_broadcast(&stream->changed);
    }
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}

aclError streamPush(struct stream *stream, aclError (*run)(void *), void (*drop)(void *), void *argument)
{
    if (stream->capture || stream->model || stream->updates) {
        return captureTask(stream, run, drop, argument);
    }
    struct task *task = malloc(sizeof *task);
    if (!task) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *task = (struct task){NULL, run, drop, argument, 0, (uint32_t)syscall(SYS_gettid)};
    pthread_mutex_lock(&stream->lock);
    task->number = last_number = (uint32_t)stream->submitted;
    if (!stream->started && pthread_create(&stream->worker, NULL, work, stream) != 0) {
        pthread_mutex_unlock(&stream->lock);
        free(task);
        return ACL_ERROR_RT_NO_STREAM_RESOURCE;
    }
    stream->started = true;
    if (stream->last) {
        stream->last->next = task;
    } else {
        stream->first = task;
    }
    stream->last = task;
    stream->submitted++;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
    return ACL_SUCCESS;
}

aclError streamWait(struct stream *stream, int32_t timeout)
{
    struct timespec deadline;
    deadlineIn(&deadline, timeout > 0 ? timeout : 0);
    pthread_mutex_lock(&stream->lock);
    uint64_t target = stream->submitted;
    int waited = 0;
    while (stream->done < target && waited != ETIMEDOUT) {
        waited = timeout < 0 ? pthread_cond_wait(&stream->changed, &stream->lock)
                             : pthread_cond_timedwait(&stream->changed, &stream->lock, &deadline);
    }
    aclError code = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    char complaint[sizeof stream->complaint] = "";
    if (stream->done >= target) {
        code = stream->error;
        memcpy(complaint, stream->complaint, sizeof complaint);
        stream->error = ACL_SUCCESS;
        stream->complaint[0] = '\0';
    }
    pthread_mutex_unlock(&stream->lock);
    if (complaint[0]) {
        aclsimDeviceSays(complaint);
    }
    return code;
}

void streamAbort(struct stream *stream)
{
    stream->abandoned = true;
    eventsWake();
    poolsWake();
    reportsWake();
    pthread_mutex_lock(&stream->lock);
    struct task *dropped = stream->first;
    stream->first = stream->last = NULL;
    for (struct task *task = dropped; task; task = task->next) {
        stream->done++;
    }
    pthread_cond_broadcast(&stream->changed);
    uint64_t target = stream->submitted;
    while (stream->done < target) {
        pthread_cond_wait(&stream->changed, &stream->lock);
    }
    stream->abandoned = false;
    stream->error = ACL_SUCCESS;
    stream->complaint[0] = '\0';
    pthread_mutex_unlock(&stream->lock);
    while (dropped) {
        struct task *next = dropped->next;
        discard(dropped);
        dropped = next;
    }
}

void streamEnd(struct stream *stream, bool force)
{
    handleDrop(HANDLE_STREAM, stream);
    if (force) {
        stream->abandoned = true;
        eventsWake();
        poolsWake();
        reportsWake();
    }
    pthread_mutex_lock(&stream->lock);
    stream->stopping = true;
    pthread_cond_broadcast(&stream->changed);
    bool started = stream->started;
    pthread_mutex_unlock(&stream->lock);
    if (started) {
        pthread_join(stream->worker, NULL);
    }
    reportsForget(stream);
    streamRelease(stream);
}

void streamHold(struct stream *stream)
{
    stream->holders++;
}

void streamRelease(struct stream *stream)
{
    if (--stream->holders == 0) {
        pthread_cond_destroy(&stream->changed);
        pthread_mutex_destroy(&stream->lock);
        free(stream);
    }
}
