/* Contexts: the primary one of each device, and floating ones. */
#include <stdlib.h>

#include "memory.h"
#include "module.h"
#include "pool.h"
#include "stream.h"

static struct CUctx_st primaries[MAX_DEVICES];
static CUcontext contexts[256];
static size_t context_count;
static uint64_t last_id;

static CUresult open(CUcontext context, int device, unsigned flags)
{
    const bool is_primary = context->is_primary;
    const unsigned retained = context->retained;
    if (context_count == sizeof contexts / sizeof *contexts || !spaceOpen(device)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *context = (struct CUctx_st){.device = device, .flags = flags, .id = ++last_id, .is_primary = is_primary};
    context->retained = retained;
    context->limits[CU_LIMIT_STACK_SIZE] = 1024;
    context->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20;
    context->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
    CUstream legacy = streamNew(context, CU_STREAM_DEFAULT, 0);
    if (!legacy) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    legacy->is_legacy = true;
    handleAdd(HANDLE_CONTEXT, context);
    contexts[context_count++] = context;
    return CUDA_SUCCESS;
}

CUcontext contextPrimary(int device)
{
    primaries[device].is_primary = true;
    primaries[device].device = device;
    return &primaries[device];
}

CUresult contextActivate(CUcontext context)
{
    if (context->is_primary_active) {
        return CUDA_SUCCESS;
    }
    CUresult code = open(context, context->device, context->flags);
    context->is_primary_active = code == CUDA_SUCCESS;
    return code;
}

CUcontext contextNew(int device, unsigned flags)
{
    CUcontext context = calloc(1, sizeof *context);
    if (context && open(context, device, flags) != CUDA_SUCCESS) {
        free(context);
        context = NULL;
    }
    return context;
}

bool contextAlive(CUcontext context)
{
    return handleAlive(HANDLE_CONTEXT, context);
}

void contextEnd(CUcontext context)
{
    waitForContext(context);
    handleDrop(HANDLE_CONTEXT, context);
    for (size_t i = 0; i < context_count; i++) {
        if (contexts[i] == context) {
            contexts[i] = contexts[--context_count];
            break;
        }
    }
    memoryForget(context);
    modulesForget(context);
    while (context->streams) {
        streamEnd(context->streams);
    }
    context->is_primary_active = false;
    context->retained = 0;
    context->error = CUDA_SUCCESS;
    /* A floating context's structure stays: threads may have it on their stacks, and its address must not be reused. */
}

void waitForDevice(int device)
{
    for (size_t i = 0; i < context_count; i++) {
        if (contexts[i]->device == device) {
            waitForContext(contexts[i]);
        }
    }
}
