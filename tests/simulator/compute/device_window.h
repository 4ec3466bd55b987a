/* The simulator's own window on device memory that a task reads or writes.
 *
 * Looked up when the task runs, so that memory released meanwhile is missing then: NULL, which a task answers with
 * ACL_ERROR_RT_AICORE_EXCEPTION, like a core that accesses an unmapped address. */
#ifndef SIMULATOR_DEVICE_WINDOW_H
#define SIMULATOR_DEVICE_WINDOW_H

#include "../engine.h"

static inline void *deviceWindow(const void *address, size_t bytes)
{
    void *base;
    uint64_t size, reach = 0;
    if (!aclsimBlock(address, &base, &size) && !aclsimAwaitsRelease(address) && !aclsimSeesHost(address, bytes))
        return NULL;
    void *window = aclsimView(address, bytes, &reach);
    return reach < bytes ? NULL : window;
}

#endif
