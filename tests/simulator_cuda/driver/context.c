/* Primary and floating contexts, and each thread's stack of them. */
#include "../engine/memory.h"
#include "../engine/stream.h"

static CUresult enterDevice(CUdevice device, bool has_result)
{
    CUresult code = enterAnywhere();
    return code != CUDA_SUCCESS                      ? code
           : device < 0 || device >= deviceCount() ? CUDA_ERROR_INVALID_DEVICE
           : !has_result                             ? CUDA_ERROR_INVALID_VALUE
                                                     : CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *result, CUdevice device)
{
    CUresult code = enterDevice(device, result != NULL);
    if (code == CUDA_SUCCESS) {
        CUcontext context = contextPrimary(device);
        code = contextActivate(context);
        if (code == CUDA_SUCCESS) {
            context->retained++;
            *result = context;
        }
    }
    return leave(code);
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    CUresult code = enterDevice(device, true);
    CUcontext context = code == CUDA_SUCCESS ? contextPrimary(device) : NULL;
    if (context && !context->is_primary_active) {
        code = CUDA_ERROR_INVALID_CONTEXT;
    } else if (context && context->retained > 0 && --context->retained == 0) {
        contextEnd(context);
    }
    return leave(code);
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    CUresult code = enterDevice(device, true);
    if (code == CUDA_SUCCESS && contextPrimary(device)->is_primary_active) {
        const unsigned retained = contextPrimary(device)->retained;
        contextEnd(contextPrimary(device));
        code = contextActivate(contextPrimary(device));
        contextPrimary(device)->retained = retained;
    }
    return leave(code);
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    CUresult code = enterDevice(device, flags && active);
    if (code == CUDA_SUCCESS) {
        *flags = contextPrimary(device)->flags;
        *active = contextPrimary(device)->is_primary_active;
    }
    return leave(code);
}

EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
    CUresult code = enterDevice(device, !(flags & ~(unsigned)CU_CTX_FLAGS_MASK));
    if (code == CUDA_SUCCESS) {
        contextPrimary(device)->flags = flags;
    }
    return leave(code);
}

static CUresult push(CUcontext context)
{
    struct thread *thread = threadSelf();
    if (thread->depth == MAX_CONTEXT_DEPTH) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    thread->stack[thread->depth++] = context;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *result, unsigned int flags, CUdevice device)
{
    CUresult code = enterDevice(device, result && !(flags & ~(unsigned)CU_CTX_FLAGS_MASK));
    if (code == CUDA_SUCCESS) {
        *result = contextNew(device, flags);
        code = *result ? push(*result) : CUDA_ERROR_OUT_OF_MEMORY;
    }
    return leave(code);
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext context)
{
    CUresult code = enterAnywhere();
    if (code == CUDA_SUCCESS && (!contextAlive(context) || context->is_primary)) {
        code = CUDA_ERROR_INVALID_CONTEXT;
    }
    if (code == CUDA_SUCCESS) {
        struct thread *thread = threadSelf();
        thread->depth -= contextCurrent() == context; /* "also popped, if it is current to the calling thread" */
        contextEnd(context);
    }
    return leave(code);
}

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    CUresult code = enterAnywhere();
    if (code == CUDA_SUCCESS) {
        code = contextAlive(context) ? push(context) : CUDA_ERROR_INVALID_CONTEXT;
    }
    return leave(code);
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    CUresult code = enterAnywhere();
    if (code == CUDA_SUCCESS && !contextCurrent()) {
        code = CUDA_ERROR_INVALID_CONTEXT;
    }
    if (code == CUDA_SUCCESS) {
        if (context) {
            *context = contextCurrent();
        }
        threadSelf()->depth--;
    }
    return leave(code);
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    CUresult code = enterAnywhere();
    if (code == CUDA_SUCCESS && context && !contextAlive(context)) {
        code = CUDA_ERROR_INVALID_CONTEXT;
    }
    if (code == CUDA_SUCCESS) {
        contextSetCurrent(context);
    }
    return leave(code);
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *context)
{
    CUresult code = enterAnywhere();
    if (code == CUDA_SUCCESS && !context) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *context = contextCurrent();
    }
    return leave(code);
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS && !device) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *device = context->device;
    }
    return leave(code);
}

EXPORT CUresult cuCtxGetFlags(unsigned int *flags)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS && !flags) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *flags = context->flags;
    }
    return leave(code);
}

EXPORT CUresult cuCtxSynchronize(void)
{
    CUcontext context;
    CUresult code = enter(&context);
    return leave(code == CUDA_SUCCESS ? waitForContext(context) : code);
}

EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS && least) {
        *least = 0;
    }
    if (code == CUDA_SUCCESS && greatest) {
        *greatest = -5;
    }
    return leave(code);
}

EXPORT CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS) {
        code = !value ? CUDA_ERROR_INVALID_VALUE : (unsigned)limit > 2 ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_SUCCESS;
    }
    if (code == CUDA_SUCCESS) {
        *value = context->limits[limit];
    }
    return leave(code);
}

EXPORT CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS) {
        code = (unsigned)limit > 2 ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_SUCCESS;
    }
    if (code == CUDA_SUCCESS) {
        context->limits[limit] = value;
    }
    return leave(code);
}
