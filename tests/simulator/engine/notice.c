/* Watchers of device and stream life and of faults, by name: a second one of a name replaces the first. */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

struct watcher {
    struct watcher *next;
    char *name;
    aclrtDeviceStateCallback on_device;
    aclrtStreamStateCallback on_stream;
    _Atomic(aclrtExceptionInfoCallback) on_fault;
    void *args;
};

static struct watcher *watchers[3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static aclError watch(struct watcher **head, const char *name, aclrtDeviceStateCallback on_device,
                      aclrtStreamStateCallback on_stream, aclrtExceptionInfoCallback on_fault, void *args)
{
    pthread_mutex_lock(&lock);
    struct watcher *at = *head;
    while (at && strcmp(at->name, name) != 0) {
        at = at->next;
    }
    if (!at && (at = calloc(1, sizeof *at)) && (at->name = strdup(name))) {
        at->next = *head;
        *head = at;
    }
    aclError code = at && at->name ? ACL_SUCCESS : ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    if (code == ACL_SUCCESS) {
        at->on_device = on_device;
        at->on_stream = on_stream;
        at->on_fault = on_fault;
        at->args = args;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

aclError aclsimWatchDevices(const char *name, aclrtDeviceStateCallback callback, void *args)
{
    return watch(&watchers[0], name, callback, NULL, NULL, args);
}

aclError aclsimWatchStreams(const char *name, aclrtStreamStateCallback callback, void *args)
{
    return watch(&watchers[1], name, NULL, callback, NULL, args);
}

aclError rtRegTaskFailCallbackByModule(const char *module, aclrtExceptionInfoCallback callback)
{
    return watch(&watchers[2], module, NULL, NULL, callback, NULL);
}

/* Watchers are never freed, and they are called without the lock: they may call us. */
static struct watcher *first(unsigned list)
{
    pthread_mutex_lock(&lock);
    struct watcher *head = watchers[list];
    pthread_mutex_unlock(&lock);
    return head;
}

void noticeDevice(int32_t device, aclrtDeviceState state)
{
    for (struct watcher *at = first(0); at; at = at->next) {
        if (at->on_device) {
            at->on_device(device, state, at->args);
        }
    }
}

void noticeStream(struct stream *stream, aclrtStreamState state)
{
    for (struct watcher *at = first(1); at; at = at->next) {
        if (at->on_stream) {
            at->on_stream(stream, state, at->args);
        }
    }
}

/* Codes of 507000 and above are the device's. Runs in the stream's worker, before the task counts as done. */
void noticeFault(const struct stream *stream, uint32_t task, uint32_t thread, aclError code)
{
    if (code < ACL_ERROR_RT_INTERNAL_ERROR || code > ACL_ERROR_RT_INTERNAL_ERROR + 999) {
        return;
    }
    const struct rtExceptionInfo info = {task, (uint32_t)stream->id, thread, (uint32_t)stream->context->device,
                                         (uint32_t)code};
    for (struct watcher *at = first(2); at; at = at->next) {
        aclrtExceptionInfoCallback callback = at->on_fault;
        if (callback) {
            struct rtExceptionInfo copy = info;
            callback(&copy);
        }
    }
}
