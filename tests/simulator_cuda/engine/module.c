/* The simulator's own module format: a first line, then one name of a registered kernel a line. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

static struct kernel *kernels;
static CUmodule modules;

EXPORT int cusimKernel(const char *name, cusimFunction function, unsigned count, const size_t *sizes)
{
    if (!name || !function || count > MAX_PARAMETERS || (count > 0 && !sizes)) {
        return 0;
    }
    struct kernel *kernel = calloc(1, sizeof *kernel);
    char *copy = strdup(name);
    if (!kernel || !copy) {
        free(kernel);
        free(copy);
        return 0;
    }
    *kernel = (struct kernel){.name = copy, .run = function, .count = count};
    for (unsigned i = 0; i < count; i++) {
        /* As a C structure has them, up to 16-byte vectors. */
        size_t alignment = 1;
        while (alignment < 16 && alignment * 2 <= sizes[i] && sizes[i] % (alignment * 2) == 0) {
            alignment *= 2;
        }
        kernel->offsets[i] = (kernel->total + alignment - 1) & ~(alignment - 1);
        kernel->sizes[i] = sizes[i];
        kernel->total = kernel->offsets[i] + sizes[i];
    }
    pthread_mutex_lock(&driver_lock);
    kernel->next = kernels;
    kernels = kernel;
    pthread_mutex_unlock(&driver_lock);
    return 1;
}

static struct kernel *findKernel(const char *name, size_t length)
{
    struct kernel *kernel = kernels;
    while (kernel && (strlen(kernel->name) != length || memcmp(kernel->name, name, length) != 0)) {
        kernel = kernel->next;
    }
    return kernel;
}

static CUresult addFunction(CUmodule module, const char *name, size_t length)
{
    struct kernel *kernel = findKernel(name, length);
    if (!kernel) {
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    CUfunction function = calloc(1, sizeof *function);
    if (!function || !handleAdd(HANDLE_FUNCTION, function)) {
        free(function);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *function = (struct CUfunc_st){module->functions, module, kernel};
    module->functions = function;
    return CUDA_SUCCESS;
}

CUresult moduleLoad(CUcontext context, const char *image, CUmodule *result)
{
    const size_t header = strlen(CUSIM_MODULE);
    if (strncmp(image, CUSIM_MODULE, header) != 0) {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    CUmodule module = calloc(1, sizeof *module);
    if (!module || !handleAdd(HANDLE_MODULE, module)) {
        free(module);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    module->context = context;
    module->next = modules;
    modules = module;
    CUresult code = CUDA_SUCCESS;
    for (const char *line = image + header; *line && code == CUDA_SUCCESS;) {
        const size_t length = strcspn(line, "\n");
        code = length ? addFunction(module, line, length) : CUDA_SUCCESS;
        line += length + (line[length] == '\n');
    }
    if (code == CUDA_SUCCESS) {
        *result = module;
    } else {
        moduleEnd(module);
    }
    return code;
}

void moduleEnd(CUmodule module)
{
    handleDrop(HANDLE_MODULE, module);
    CUmodule *place = &modules;
    while (*place != module) {
        place = &(*place)->next;
    }
    *place = module->next;
    for (CUfunction function = module->functions, next; function; function = next) {
        next = function->next;
        handleDrop(HANDLE_FUNCTION, function);
        free(function);
    }
    free(module);
}

void modulesForget(CUcontext context)
{
    for (CUmodule module = modules, next; module; module = next) {
        next = module->next;
        if (module->context == context) {
            moduleEnd(module);
        }
    }
}
