/* Initialization, the thread's stack of contexts, and the checks that calls begin with. */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

static bool initialized;
static int devices = 2;
static uint64_t capacity = 16ull << 30;
static _Thread_local struct thread self;
static _Atomic uint64_t last_thread;

static uint64_t setting(const char *name, uint64_t low, uint64_t high, uint64_t otherwise)
{
    const char *text = getenv(name);
    char *end = NULL;
    if (!text || !*text) {
        return otherwise;
    }
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end || value < low || value > high) {
        fprintf(stderr, "cusim: %s=%s is not a number from %llu to %llu\n", name, text, (unsigned long long)low,
                (unsigned long long)high);
        return otherwise;
    }
    return value;
}

bool isInitialized(void)
{
    return initialized;
}

void setInitialized(void)
{
    if (!initialized) {
        devices = (int)setting("CUSIM_DEVICES", 0, MAX_DEVICES, 2);
        capacity = setting("CUSIM_MEMORY_MB", 1, 131072, 16384) << 20;
        initialized = devices > 0;
    }
}

int deviceCount(void)
{
    return devices;
}

uint64_t deviceCapacity(void)
{
    return capacity;
}

struct thread *threadSelf(void)
{
    if (!self.number) {
        self.number = ++last_thread;
    }
    return &self;
}

CUcontext contextCurrent(void)
{
    return self.depth > 0 ? self.stack[self.depth - 1] : NULL;
}

void contextSetCurrent(CUcontext context)
{
    if (self.depth > 0 && !context) {
        self.depth--;
    } else if (context) {
        self.depth += self.depth == 0;
        self.stack[self.depth - 1] = context;
    }
}

CUresult enterAnywhere(void)
{
    pthread_mutex_lock(&driver_lock);
    if (threadSelf()->runs_host_function) { /* cuLaunchHostFunc: a host function must not call the driver */
        return CUDA_ERROR_NOT_PERMITTED;
    }
    return initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult enter(CUcontext *context)
{
    CUresult code = enterAnywhere();
    *context = contextCurrent();
    if (code != CUDA_SUCCESS) {
        return code;
    }
    if (!*context) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (!contextAlive(*context)) {
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    }
    return (*context)->error;
}

CUresult leave(CUresult code)
{
    pthread_mutex_unlock(&driver_lock);
    return code;
}
