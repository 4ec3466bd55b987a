/* Lists of a kernel's arguments: values in order, and placeholders, which point to data that follows the values. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "handles.h"

/* As in the runtime (KernelArgsInit): the maximum number and bytes of arguments; each begins at a multiple of 8. */
#define MOST_PARAMETERS 128u
#define MOST_BYTES 2048u

struct parameter {
    size_t offset, size, data; /* `data`: offset of what a placeholder points to */
    bool placeholder;
};

struct arguments {
    aclrtFuncHandle function;
    char *buffer;
    size_t room, size;
    uint32_t count;
    bool has_data, finished, borrowed;
    struct parameter parameters[MOST_PARAMETERS];
    char own[MOST_BYTES];
};

size_t rtsKernelArgsHandleSize(void)
{
    return sizeof(struct arguments) - MOST_BYTES;
}

aclError rtsKernelArgsInit(aclrtFuncHandle function, aclrtArgsHandle *out)
{
    static _Thread_local struct arguments *list; /* one per thread, reset by each call, as in the runtime */
    if (!list && (list = calloc(1, sizeof *list))) {
        handleAdd(HANDLE_ARGUMENTS, list);
    }
    if (!list) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    memset(list, 0, rtsKernelArgsHandleSize());
    list->function = function;
    list->buffer = list->own;
    list->room = MOST_BYTES;
    *out = list;
    return ACL_SUCCESS;
}

aclError rtsKernelArgsInitByUserMem(aclrtFuncHandle function, aclrtArgsHandle handle, void *memory, size_t size)
{
    struct arguments *list = handle;
    memset(list, 0, rtsKernelArgsHandleSize());
    list->function = function;
    list->buffer = memory;
    list->room = size;
    list->borrowed = true;
    return handleAlive(HANDLE_ARGUMENTS, list) || handleAdd(HANDLE_ARGUMENTS, list) ? ACL_SUCCESS
                                                                                    : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

static aclError place(struct arguments *list, size_t size, size_t *offset)
{
    *offset = (list->size + 7) / 8 * 8;
    if (size > list->room || *offset > list->room - size) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    list->size = *offset + size;
    return ACL_SUCCESS;
}

static aclError append(aclrtArgsHandle handle, size_t size, bool placeholder, aclrtParamHandle *out)
{
    struct arguments *list = handle;
    if (!handleAlive(HANDLE_ARGUMENTS, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (list->finished || list->has_data) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    size_t offset;
    aclError code = list->count < MOST_PARAMETERS ? place(list, size, &offset) : ACL_ERROR_RT_PARAM_INVALID;
    if (code == ACL_SUCCESS) {
        struct parameter *parameter = &list->parameters[list->count++];
        *parameter = (struct parameter){offset, size, 0, placeholder};
        *out = parameter;
    }
    return code;
}

aclError rtsKernelArgsAppend(aclrtArgsHandle handle, const void *value, size_t size, aclrtParamHandle *out)
{
    aclError code = append(handle, size, false, out);
    if (code == ACL_SUCCESS) {
        memcpy(((struct arguments *)handle)->buffer + ((struct parameter *)*out)->offset, value, size);
    }
    return code;
}

aclError rtsKernelArgsAppendPlaceHolder(aclrtArgsHandle handle, aclrtParamHandle *out)
{
    return append(handle, sizeof(void *), true, out);
}

static bool owns(const struct arguments *list, const struct parameter *parameter)
{
    return parameter >= list->parameters && parameter < list->parameters + list->count;
}

aclError rtsKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle handle, aclrtParamHandle which, size_t size, void **buffer)
{
    struct arguments *list = handle;
    struct parameter *parameter = which;
    if (!handleAlive(HANDLE_ARGUMENTS, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (!owns(list, parameter) || !parameter->placeholder) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (list->finished) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    aclError code = place(list, size, &parameter->data);
    if (code == ACL_SUCCESS) {
        list->has_data = true;
        *buffer = list->buffer + parameter->data;
    }
    return code;
}

aclError rtsKernelArgsParaUpdate(aclrtArgsHandle handle, aclrtParamHandle which, const void *value, size_t size)
{
    struct arguments *list = handle;
    const struct parameter *parameter = which;
    if (!handleAlive(HANDLE_ARGUMENTS, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (!owns(list, parameter) || parameter->placeholder || size != parameter->size) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    memcpy(list->buffer + parameter->offset, value, size);
    list->finished = false;
    return ACL_SUCCESS;
}

aclError rtsKernelArgsFinalize(aclrtArgsHandle handle)
{
    if (!handleAlive(HANDLE_ARGUMENTS, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    ((struct arguments *)handle)->finished = true;
    return ACL_SUCCESS;
}

/* A placeholder's data moves with the launch's copy, so its address is filled in there. */
aclError rtsLaunchKernelWithArgs(aclrtFuncHandle function, uint32_t blocks, aclrtArgsHandle handle, aclrtStream stream)
{
    const struct arguments *list = handle;
    if (!handleAlive(HANDLE_ARGUMENTS, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (!list->finished) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    aclrtPlaceHolderInfo places[MOST_PARAMETERS];
    size_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->parameters[i].placeholder) {
            places[count++] = (aclrtPlaceHolderInfo){(uint32_t)list->parameters[i].offset, (uint32_t)list->parameters[i].data};
        }
    }
    return rtsLaunchKernelWithPlaces(function, blocks, list->buffer, list->size, places, count, stream);
}
