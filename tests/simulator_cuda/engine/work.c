/* Copies, fills and host functions as work. */
#include "work.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

struct work *workNew(CUcontext context, CUresult (*run)(struct work *work))
{
    struct work *work = calloc(1, sizeof *work);
    if (work) {
        work->holders = 1;
        work->context = context;
        work->run = run;
    }
    return work;
}

void workHold(struct work *work)
{
    work->holders++;
}

void workRelease(struct work *work)
{
    if (work && --work->holders == 0) {
        if (work->drop) {
            work->drop(work);
        }
        free(work->owned);
        free(work);
    }
}

static CUresult doNothing(struct work *work)
{
    (void)work;
    return CUDA_SUCCESS;
}

struct work *workNothing(CUcontext context)
{
    return workNew(context, doNothing);
}

/* Either side may run from one range into the next: it goes as far as both are in one. */
static CUresult copyRow(uintptr_t dst, uintptr_t src, size_t size)
{
    while (size > 0) {
        size_t from = size, to = size;
        const char *source = memoryReach(src, &from);
        char *target = memoryReach(dst, &to);
        if (!source || !target) {
            return CUDA_ERROR_ILLEGAL_ADDRESS;
        }
        const size_t step = from < to ? from : to;
        memmove(target, source, step);
        dst += step;
        src += step;
        size -= step;
    }
    return CUDA_SUCCESS;
}

CUresult runCopy(const struct copy *copy)
{
    CUresult code = CUDA_SUCCESS;
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height && code == CUDA_SUCCESS; y++) {
            code = copyRow(copy->dst + z * copy->dst_plane + y * copy->dst_pitch,
                           copy->src + z * copy->src_plane + y * copy->src_pitch, copy->width);
        }
    }
    return code;
}

static void fillBytes(char *target, size_t size, size_t offset, const struct fill *fill)
{
    for (size_t i = 0; i < size; i++) {
        target[i] = (char)(fill->value >> 8 * ((offset + i) % fill->element));
    }
}

CUresult runFill(const struct fill *fill)
{
    const size_t width = fill->width * fill->element;
    for (size_t y = 0; y < fill->height; y++) {
        for (size_t x = 0, step; x < width; x += step) {
            step = width - x;
            char *target = memoryReach(fill->dst + y * fill->pitch + x, &step);
            if (!target) {
                return CUDA_ERROR_ILLEGAL_ADDRESS;
            }
            fillBytes(target, step, x, fill);
        }
    }
    return CUDA_SUCCESS;
}

static CUresult runCopyWork(struct work *work)
{
    return runCopy(&work->as.copy);
}

struct work *workCopy(CUcontext context, const struct copy *copy)
{
    struct work *work = workNew(context, runCopyWork);
    if (work) {
        work->as.copy = *copy;
    }
    return work;
}

static CUresult runFillWork(struct work *work)
{
    return runFill(&work->as.fill);
}

struct work *workFill(CUcontext context, const struct fill *fill)
{
    struct work *work = workNew(context, runFillWork);
    if (work) {
        work->as.fill = *fill;
    }
    return work;
}

static CUresult runHostWork(struct work *work)
{
    struct thread *thread = threadSelf();
    thread->runs_host_function = true;
    work->as.host.function(work->as.host.argument);
    thread->runs_host_function = false;
    return CUDA_SUCCESS;
}

struct work *workHost(CUcontext context, CUhostFn function, void *argument)
{
    struct work *work = workNew(context, runHostWork);
    if (work) {
        work->as.host.function = function;
        work->as.host.argument = argument;
    }
    return work;
}
