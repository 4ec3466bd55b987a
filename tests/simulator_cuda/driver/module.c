/* Modules, functions and launches. */
#include "../engine/module.h"

#include <stdlib.h>
#include <string.h>

#include "../engine/memory.h"
#include "../engine/work.h"
#include "queued.h"

static _Thread_local bool has_trapped;

EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS) {
        code = module && image ? moduleLoad(context, image, module) : CUDA_ERROR_INVALID_VALUE;
    }
    return leave(code);
}

EXPORT CUresult cuModuleUnload(CUmodule module)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS && !handleAlive(HANDLE_MODULE, module)) {
        code = CUDA_ERROR_INVALID_HANDLE;
    }
    if (code == CUDA_SUCCESS) {
        moduleEnd(module);
    }
    return leave(code);
}

EXPORT CUresult cuModuleGetFunction(CUfunction *result, CUmodule module, const char *name)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS) {
        code = !result || !name                       ? CUDA_ERROR_INVALID_VALUE
               : !handleAlive(HANDLE_MODULE, module) ? CUDA_ERROR_INVALID_HANDLE
                                                      : CUDA_ERROR_NOT_FOUND;
    }
    for (CUfunction at = code == CUDA_ERROR_NOT_FOUND ? module->functions : NULL; at; at = at->next) {
        if (strcmp(at->kernel->name, name) == 0) {
            *result = at;
            code = CUDA_SUCCESS;
        }
    }
    return leave(code);
}

EXPORT CUresult cuFuncGetName(const char **name, CUfunction function)
{
    CUresult code = enterAnywhere();
    if (code == CUDA_SUCCESS && (!name || !handleAlive(HANDLE_FUNCTION, function))) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *name = function->kernel->name;
    }
    return leave(code);
}

EXPORT CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    CUresult code = enterAnywhere();
    if (code == CUDA_SUCCESS &&
        (!offset || !handleAlive(HANDLE_FUNCTION, function) || index >= function->kernel->count)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *offset = function->kernel->offsets[index];
        if (size) {
            *size = function->kernel->sizes[index];
        }
    }
    return leave(code);
}

EXPORT void *cusimReach(CUdeviceptr address, size_t size)
{
    size_t got = size;
    pthread_mutex_lock(&driver_lock);
    const bool is_own = isPageable(address);
    pthread_mutex_unlock(&driver_lock);
    char *bytes = is_own ? NULL : memoryReach(address, &got);
    has_trapped |= !bytes || got < size;
    return bytes && got == size ? bytes : NULL;
}

static CUresult runKernel(struct work *work)
{
    const struct kernel *kernel = work->as.kernel.kernel;
    void *arguments[MAX_PARAMETERS];
    struct cusimLaunch launch = {.shared = work->as.kernel.shared, .arguments = arguments};
    memcpy(launch.grid, work->as.kernel.grid, sizeof launch.grid);
    memcpy(launch.block, work->as.kernel.block, sizeof launch.block);
    for (unsigned i = 0; i < kernel->count; i++) {
        arguments[i] = (char *)work->owned + kernel->offsets[i];
    }
    has_trapped = false;
    kernel->run(&launch);
    return has_trapped ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

/* Arguments one by one, or as one buffer in a list that ends with CU_LAUNCH_PARAM_END. */
static CUresult copyArguments(const struct kernel *kernel, void **parameters, void **extra, unsigned char *into)
{
    if (kernel->count == 0) {
        return CUDA_SUCCESS;
    }
    if (!parameters == !extra) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; parameters && i < kernel->count; i++) {
        if (!parameters[i]) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        memcpy(into + kernel->offsets[i], parameters[i], kernel->sizes[i]);
    }
    const void *buffer = NULL;
    size_t size = 0;
    for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            buffer = extra[1];
        } else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            size = *(const size_t *)extra[1];
        } else {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    if (!parameters && (!buffer || size < kernel->total)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!parameters) {
        memcpy(into, buffer, kernel->total);
    }
    return CUDA_SUCCESS;
}

static bool isShape(const CUlaunchConfig *config)
{
    const uint64_t threads = (uint64_t)config->blockDimX * config->blockDimY;
    return config->gridDimX && config->gridDimY && config->gridDimZ && config->gridDimX <= INT32_MAX &&
           config->gridDimY <= 65535 && config->gridDimZ <= 65535 && threads && threads <= 1024 && config->blockDimZ &&
           config->blockDimZ <= 64 && threads * config->blockDimZ <= 1024 && config->sharedMemBytes <= 49152;
}

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
    CUcontext context;
    CUstream stream = NULL;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS && (!config || !isShape(config))) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else if (code == CUDA_SUCCESS && !handleAlive(HANDLE_FUNCTION, function)) {
        code = CUDA_ERROR_INVALID_HANDLE;
    }
    code = code == CUDA_SUCCESS ? streamOf(context, config->hStream, &stream) : code;
    if (code != CUDA_SUCCESS) {
        return leave(code);
    }
    const struct kernel *kernel = function->kernel;
    unsigned char *arguments = calloc(1, kernel->total + 1);
    struct work *work = arguments ? workNew(context, runKernel) : NULL;
    if (!work) {
        free(arguments);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    work->owned = arguments;
    work->as.kernel.kernel = kernel;
    work->as.kernel.shared = config->sharedMemBytes;
    memcpy(work->as.kernel.grid, &config->gridDimX, sizeof work->as.kernel.grid);
    memcpy(work->as.kernel.block, &config->blockDimX, sizeof work->as.kernel.block);
    code = copyArguments(kernel, parameters, extra, arguments);
    if (code != CUDA_SUCCESS) {
        workRelease(work);
        return leave(code);
    }
    return leave(submit(stream, work));
}

EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ,
                               unsigned int blockX, unsigned int blockY, unsigned int blockZ, unsigned int shared,
                               CUstream stream, void **parameters, void **extra)
{
    const CUlaunchConfig config = {gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream, NULL, 0};
    return cuLaunchKernelEx(&config, function, parameters, extra);
}

EXPORT CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
    if (!config) {
        return cuLaunchKernelEx(config, function, parameters, extra);
    }
    CUlaunchConfig own = *config;
    own.hStream = own.hStream ? own.hStream : CU_STREAM_PER_THREAD;
    return cuLaunchKernelEx(&own, function, parameters, extra);
}

PER_THREAD(cuLaunchKernel,
           (CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ, unsigned int blockX,
            unsigned int blockY, unsigned int blockZ, unsigned int shared, CUstream stream, void **parameters, void **extra),
           function, gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream, parameters, extra)
