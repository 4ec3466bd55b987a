/* Devices are counted per process, contexts are current per thread. */
#include "context.h"

#include <stdlib.h>

#include "settings.h"
#include "stream.h"

static struct device devices[MOST_DEVICES];
static struct heap pinned;
static struct context *created;
static pthread_mutex_t topology = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local struct context *current;

static void prepare(void)
{
    pthread_mutex_init(&pinned.lock, NULL);
    for (unsigned i = 0; i < MOST_DEVICES; i++) {
        pthread_mutex_init(&devices[i].heap.lock, NULL);
        devices[i].primary.device = (int32_t)i;
        devices[i].primary.primary = true;
    }
    heapOpen(&pinned, -1, UINT64_MAX / 2);
}

void topologyLock(void)
{
    pthread_mutex_lock(&topology);
}

void topologyUnlock(void)
{
    pthread_mutex_unlock(&topology);
}

struct device *deviceAt(int32_t id)
{
    pthread_once(&once, prepare);
    return id >= 0 && (uint32_t)id < aclsimDeviceCount() ? &devices[id] : NULL;
}

struct heap *heapPinned(void)
{
    pthread_once(&once, prepare);
    return &pinned;
}

struct heap *heapOf(uintptr_t address)
{
    pthread_once(&once, prepare);
    if (windowHolds(&pinned.window, address)) {
        return &pinned;
    }
    for (unsigned i = 0; i < aclsimDeviceCount(); i++) {
        if (windowHolds(&devices[i].heap.window, address)) {
            return &devices[i].heap;
        }
    }
    return NULL;
}

struct context *contextCurrent(void)
{
    return current && current->alive ? current : NULL;
}

/* The topology lock is held. */
static aclError comeAlive(struct context *context)
{
    struct device *device = &devices[context->device];
    if (device->contexts == 0) {
        aclError code = heapOpen(&device->heap, context->device, settings()->memory_bytes);
        if (code != ACL_SUCCESS) {
            return code;
        }
    }
    context->default_stream = streamNew(context, 0, 0);
    if (!context->default_stream) {
        return ACL_ERROR_RT_NO_STREAM_RESOURCE;
    }
    device->contexts++;
    context->alive = true;
    return ACL_SUCCESS;
}

/* Finishes the context's work. The lock is not held: host functions may still call in. */
static void tearDown(struct context *context)
{
    struct stream *streams;
    topologyLock();
    streams = context->streams;
    context->streams = NULL;
    context->default_stream = NULL;
    topologyUnlock();
    while (streams) {
        struct stream *next = streams->next;
        streamEnd(streams, false);
        streams = next;
    }
    struct device *device = &devices[context->device];
    topologyLock();
    context->alive = false;
    if (--device->contexts == 0) {
        heapClose(&device->heap);
    }
    topologyUnlock();
}

aclError rtSetDevice(int32_t id)
{
    struct device *device = deviceAt(id);
    if (!device) {
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    noticeDevice(id, ACL_RT_DEVICE_STATE_SET_PRE);
    topologyLock();
    aclError code = device->set_count ? ACL_SUCCESS : comeAlive(&device->primary);
    if (code == ACL_SUCCESS) {
        device->set_count++;
        current = &device->primary;
    }
    topologyUnlock();
    if (code == ACL_SUCCESS) {
        noticeDevice(id, ACL_RT_DEVICE_STATE_SET_POST);
    }
    return code;
}

static aclError reset(int32_t id, bool force)
{
    struct device *device = deviceAt(id);
    if (!device) {
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    noticeDevice(id, ACL_RT_DEVICE_STATE_RESET_PRE);
    topologyLock();
    bool set = device->set_count > 0;
    bool last = set && (force || device->set_count == 1);
    device->set_count = last ? 0 : device->set_count - (set ? 1 : 0);
    topologyUnlock();
    if (!set) {
        return ACL_ERROR_RT_CONTEXT_RELEASE_ERROR;
    }
    if (last) {
        tearDown(&device->primary);
    }
    noticeDevice(id, ACL_RT_DEVICE_STATE_RESET_POST);
    return ACL_SUCCESS;
}

aclError rtDeviceReset(int32_t id)
{
    return reset(id, false);
}

aclError rtDeviceResetForce(int32_t id)
{
    return reset(id, true);
}

aclError rtGetDevice(int32_t *id)
{
    struct context *context = contextCurrent();
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    *id = context->device;
    return ACL_SUCCESS;
}

aclError rtCtxCreateEx(aclrtContext *handle, uint32_t flags, int32_t id)
{
    (void)flags;
    if (!deviceAt(id)) {
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    struct context *context = calloc(1, sizeof *context);
    if (!context) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    context->device = id;
    topologyLock();
    aclError code = comeAlive(context);
    context->next = created;
    created = context;
    topologyUnlock();
    if (code == ACL_SUCCESS) {
        current = context;
        *handle = context;
    }
    return code;
}

/* Also keeps wild pointers from being read. */
static struct context *known(const void *handle)
{
    struct context *found = NULL;
    for (unsigned i = 0; i < aclsimDeviceCount() && !found; i++) {
        found = handle == &devices[i].primary ? &devices[i].primary : NULL;
    }
    topologyLock();
    for (struct context *at = created; at && !found; at = at->next) {
        found = at == handle ? at : NULL;
    }
    topologyUnlock();
    return found && found->alive ? found : NULL;
}

aclError rtCtxDestroyEx(aclrtContext handle)
{
    struct context *context = known(handle);
    if (!context || context->primary) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    tearDown(context);
    current = current == context ? NULL : current;
    return ACL_SUCCESS;
}

aclError rtCtxSetCurrent(aclrtContext handle)
{
    struct context *context = known(handle);
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    current = context;
    return ACL_SUCCESS;
}

aclError rtCtxGetCurrent(aclrtContext *handle)
{
    struct context *context = contextCurrent();
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    *handle = context;
    return ACL_SUCCESS;
}

aclError rtCtxGetCurrentDefaultStream(aclrtStream *handle)
{
    struct context *context = contextCurrent();
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    *handle = context->default_stream;
    return ACL_SUCCESS;
}

static size_t holdStreams(struct context *context, struct stream **held)
{
    size_t count = 0;
    for (struct stream *at = context->streams; at; at = at->next, count++) {
        if (held) {
            streamHold(at);
            held[count] = at;
        }
    }
    return count;
}

/* Every stream of the device, whatever its context; what is queued later does not count. */
aclError rtDeviceSynchronizeWithTimeout(int32_t timeout)
{
    struct context *context = contextCurrent();
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    int32_t id = context->device;
    topologyLock();
    size_t count = holdStreams(&devices[id].primary, NULL);
    for (struct context *at = created; at; at = at->next) {
        count += at->device == id ? holdStreams(at, NULL) : 0;
    }
    struct stream **held = calloc(count ? count : 1, sizeof *held);
    size_t taken = held ? holdStreams(&devices[id].primary, held) : 0;
    for (struct context *at = created; at && held; at = at->next) {
        taken += at->device == id ? holdStreams(at, held + taken) : 0;
    }
    topologyUnlock();
    aclError code = held ? ACL_SUCCESS : ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    for (size_t i = 0; i < taken; i++) {
        aclError one = streamWait(held[i], timeout);
        code = code == ACL_SUCCESS ? one : code;
        streamRelease(held[i]);
    }
    free(held);
    return code;
}

aclError rtGetPrimaryCtxState(int32_t id, uint32_t *flags, int32_t *active)
{
    struct device *device = deviceAt(id);
    if (!device) {
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    *flags = 0;
    *active = device->primary.alive ? 1 : 0;
    return ACL_SUCCESS;
}
