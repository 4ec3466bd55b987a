/* A kernel that accesses an unmapped address: its core stops with an exception. */
#include <stdio.h>

#include "stream.h"

static _Thread_local aclError trapped;

void aclsimTrap(aclError code)
{
    trapped = trapped != ACL_SUCCESS ? trapped : code;
}

aclError aclsimTrapped(void)
{
    aclError code = trapped;
    trapped = ACL_SUCCESS;
    return code;
}

void aclsimTrapSays(const char *kernel, const char *text)
{
    struct stream *stream = streamSelf();
    if (!stream) {
        return;
    }
    pthread_mutex_lock(&stream->lock);
    if (!stream->complaint[0] && stream->error == ACL_SUCCESS) {
        snprintf(stream->complaint, sizeof stream->complaint,
                 "Aicore kernel execute failed, device_id=%d, stream_id=%d, task_id=%llu, fault kernel_name=%s: %s.",
                 stream->context->device, stream->id, (unsigned long long)stream->done, kernel ? kernel : "unknown", text);
    }
    pthread_mutex_unlock(&stream->lock);
}
