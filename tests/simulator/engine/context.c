/* Contexts: current per thread, many per device. */
#include "context.h"

#include <stdlib.h>

static struct context *created;
static _Thread_local struct context *current;

struct context *contextCurrent(void)
{
    return current && current->alive ? current : NULL;
}

void contextEnter(struct context *context)
{
    current = context;
}

struct context *contextsCreated(void)
{
    return created;
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
    aclError code = contextOpen(context);
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
        struct context *primary = &deviceAt((int32_t)i)->primary;
        found = handle == primary ? primary : NULL;
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
    contextClose(context);
    current = current == context ? NULL : current;
    return ACL_SUCCESS;
}

aclError rtCtxSetCurrent(aclrtContext handle)
{
    struct context *context = known(handle);
    if (!context) { /* also for what never was one (api_error.cc, ContextSetCurrent) */
        return ACL_ERROR_RT_PARAM_INVALID;
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
