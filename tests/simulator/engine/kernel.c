/* Launches, which run in stream order with a copy of their arguments. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "virtual.h"

struct kernel {
    aclrtFuncHandle function;
    void (*run)(void *args);
    uint32_t blocks;
    size_t size;
    const void *from; /* device memory that holds the arguments, or NULL */
    max_align_t args[];
};

static aclError runKernel(void *argument)
{
    struct kernel *kernel = argument;
    if (kernel->from) { /* the current contents, not those at the launch */
        uint64_t reach;
        const void *args = aclsimView(kernel->from, kernel->size, &reach);
        if (reach < kernel->size) {
            return ACL_ERROR_RT_AICORE_EXCEPTION;
        }
        memcpy(kernel->args, args, kernel->size);
    }
    if (kernel->run) {
        kernel->run(kernel->args);
    }
    return aclsimTrapped();
}

static bool isOnDevice(const void *args)
{
    const struct heap *heap = heapOf((uintptr_t)args);
    return heap ? heap->device >= 0 : virtualHolds((uintptr_t)args) && !virtualIsHost((uintptr_t)args);
}

bool kernelIs(aclError (*run)(void *))
{
    return run == runKernel;
}

aclError kernelMake(aclrtFuncHandle function, uint32_t blocks, const void *args, size_t size, void **out)
{
    struct kernel *kernel = size < SIZE_MAX / 2 ? malloc(sizeof *kernel + size) : NULL;
    if (!kernel) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *kernel = (struct kernel){function, functionCode(function), blocks, size, isOnDevice(args) ? args : NULL};
    if (size && !kernel->from) {
        memcpy(kernel->args, args, size);
    }
    *out = kernel;
    return ACL_SUCCESS;
}

void kernelDescribe(const void *argument, struct aclmdlRIKernelTaskParams *params)
{
    const struct kernel *kernel = argument;
    params->funcHandle = kernel->function;
    params->args = kernel->from ? (void *)kernel->from : (void *)kernel->args;
    params->argsSize = kernel->size;
    params->numBlocks = kernel->blocks;
    params->isHostArgs = !kernel->from;
}

/* A place is the offset of a pointer and of its target, both in the copied arguments. */
aclError rtsLaunchKernelWithPlaces(aclrtFuncHandle function, uint32_t blocks, const void *args, size_t size,
                                   const aclrtPlaceHolderInfo *places, size_t count, aclrtStream stream)
{
    void *made;
    for (size_t i = 0; i < count; i++) {
        if (places[i].dataOffset > size || size < sizeof(void *) || places[i].addrOffset > size - sizeof(void *)) {
            return ACL_ERROR_RT_PARAM_INVALID;
        }
    }
    aclError code = kernelMake(function, blocks, args, size, &made);
    struct kernel *kernel = made;
    for (size_t i = 0; i < count && code == ACL_SUCCESS; i++) {
        const void *data = (char *)kernel->args + places[i].dataOffset;
        memcpy((char *)kernel->args + places[i].addrOffset, &data, sizeof data);
    }
    return code == ACL_SUCCESS ? aclsimEnqueue(stream, runKernel, free, kernel) : code;
}
