/* Devices: counted by aclrtSetDevice, kept open by their contexts. */
#include "context.h"

#include <stdlib.h>

#include "capture.h"
#include "pool.h"
#include "settings.h"
#include "stream.h"
#include "virtual.h"

static struct device devices[MOST_DEVICES];
static struct heap pinned;
static struct heap managed;
static pthread_mutex_t topology = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t closed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void)
{
    pthread_mutex_init(&pinned.lock, NULL);
    for (unsigned i = 0; i < MOST_DEVICES; i++) {
        pthread_mutex_init(&devices[i].heap.lock, NULL);
        devices[i].primary.device = (int32_t)i;
        devices[i].primary.primary = true;
    }
    pthread_mutex_init(&managed.lock, NULL);
    heapOpen(&pinned, PINNED_HEAP, UINT64_MAX / 2);
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

struct heap *heapManaged(void)
{
    pthread_once(&once, prepare);
    topologyLock();
    bool open = managed.open || heapOpen(&managed, MANAGED_HEAP, UINT64_MAX / 2) == ACL_SUCCESS;
    topologyUnlock();
    return open ? &managed : NULL;
}

struct heap *heapOf(uintptr_t address)
{
    pthread_once(&once, prepare);
    if (heapHolds(&pinned, address)) {
        return &pinned;
    }
    if (heapHolds(&managed, address)) {
        return &managed;
    }
    for (unsigned i = 0; i < aclsimDeviceCount(); i++) {
        if (heapHolds(&devices[i].heap, address)) {
            return &devices[i].heap;
        }
    }
    return NULL;
}

aclError contextOpen(struct context *context)
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

void contextClose(struct context *context)
{
    topologyLock();
    struct stream *streams = context->streams;
    context->alive = false;
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
    if (--device->contexts == 0) {
        poolsForget(context->device);
        ipcDrop(context->device);
        registrationsDrop(context->device);
        virtualDropDevice(context->device);
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
    /* A worker may not wait for the reset that waits for its own queue. */
    while (device->closing && !streamSelf()) {
        pthread_cond_wait(&closed, &topology);
    }
    aclError code = ACL_ERROR_RT_CONTEXT_RELEASE_ERROR;
    if (!device->closing) {
        code = device->set_count ? ACL_SUCCESS : contextOpen(&device->primary);
    }
    if (code == ACL_SUCCESS) {
        device->set_count++;
        contextEnter(&device->primary);
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
    device->closing = device->closing || last;
    topologyUnlock();
    if (!set) {
        return ACL_ERROR_RT_CONTEXT_RELEASE_ERROR;
    }
    if (last) {
        contextClose(&device->primary);
        topologyLock();
        device->closing = false;
        pthread_cond_broadcast(&closed);
        topologyUnlock();
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
    if (captureIsOn(context)) {
        return ACL_ERROR_RT_STREAM_CAPTURED;
    }
    topologyLock();
    size_t count = holdStreams(&devices[id].primary, NULL);
    for (struct context *at = contextsCreated(); at; at = at->next) {
        count += at->device == id ? holdStreams(at, NULL) : 0;
    }
    struct stream **held = calloc(count ? count : 1, sizeof *held);
    size_t taken = held ? holdStreams(&devices[id].primary, held) : 0;
    for (struct context *at = contextsCreated(); at && held; at = at->next) {
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
    poolsSettle();
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
