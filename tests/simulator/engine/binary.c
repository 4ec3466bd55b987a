/* Binaries of kernels. Their code is for the chip: a name is looked up among the program's own functions instead, those that
 * aclsimDefineKernel named first, then its exported ones, then those of a binary that is a library of the host. */
#define _GNU_SOURCE
#include "kernel.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handles.h"
#include "settings.h"

struct binary {
    unsigned holders; /* the handle, and each function */
    void *library;
    void *data;       /* on the device */
    size_t size;
    struct function *functions;
};

struct function {
    struct function *next;
    struct binary *binary;
    void (*code)(void *);
    char name[];
};

struct definition {
    struct definition *next;
    void (*code)(void *);
    char name[];
};

static struct definition *definitions;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

aclError rtKernelDefine(const char *name, void (*code)(void *args))
{
    struct definition *definition = malloc(sizeof *definition + strlen(name) + 1);
    if (!definition) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    strcpy(definition->name, name);
    definition->code = code;
    pthread_mutex_lock(&lock);
    definition->next = definitions;
    definitions = definition;
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

/* The lock is held. */
static void (*codeOf(const struct binary *binary, const char *name))(void *)
{
    for (const struct definition *at = definitions; at; at = at->next) {
        if (strcmp(at->name, name) == 0) {
            return at->code;
        }
    }
    void *found = dlsym(RTLD_DEFAULT, name);
    found = !found && binary->library ? dlsym(binary->library, name) : found;
    void (*code)(void *);
    memcpy(&code, &found, sizeof code); /* a data pointer does not convert */
    return code;
}

static aclError binaryNew(const void *bytes, size_t size, void *library, aclrtBinHandle *out)
{
    struct binary *binary = calloc(1, sizeof *binary);
    void *data = NULL;
    aclError code = binary ? rtMalloc(&data, size, ACL_MEM_MALLOC_HUGE_FIRST, 0) : ACL_ERROR_RT_MEMORY_ALLOCATION;
    code = code == ACL_SUCCESS ? rtMemcpy(data, size, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE) : code;
    if (code != ACL_SUCCESS || !handleAdd(HANDLE_BINARY, binary)) {
        free(binary);
        return code;
    }
    *binary = (struct binary){1, library, data, size, NULL};
    *out = binary;
    return ACL_SUCCESS;
}

aclError rtsBinaryLoadFromData(const void *data, size_t size, aclrtBinHandle *out)
{
    if (size == 0) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return contextCurrent() ? binaryNew(data, size, NULL, out) : ACL_ERROR_RT_CONTEXT_NULL;
}

aclError rtsBinaryLoadFromFile(const char *path, aclrtBinHandle *out)
{
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size > 0 && fseek(file, 0, SEEK_SET) == 0 && (bytes = malloc((size_t)size))) {
        size = fread(bytes, 1, (size_t)size, file) == (size_t)size ? size : -1;
    }
    if (file) {
        fclose(file);
    }
    aclError code = ACL_ERROR_RT_PARAM_INVALID;
    if (bytes && size > 0) {
        code = binaryNew(bytes, (size_t)size, dlopen(path, RTLD_NOW | RTLD_LOCAL), out);
    }
    free(bytes);
    return code;
}

aclError rtBinaryUnLoad(aclrtBinHandle handle)
{
    struct binary *binary = handle;
    if (!handleDrop(HANDLE_BINARY, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    pthread_mutex_lock(&lock);
    struct function *functions = binary->functions;
    pthread_mutex_unlock(&lock);
    while (functions) {
        struct function *next = functions->next;
        handleDrop(HANDLE_FUNCTION, functions);
        free(functions);
        functions = next;
    }
    (void)rtFree(binary->data);
    free(binary); /* the library stays: a queued launch may be inside */
    return ACL_SUCCESS;
}

aclError rtsBinaryGetDevAddress(aclrtBinHandle handle, void **address, size_t *size)
{
    const struct binary *binary = handle;
    if (!handleAlive(HANDLE_BINARY, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *address = binary->data;
    *size = binary->size;
    return ACL_SUCCESS;
}

aclError rtsFuncGetByName(aclrtBinHandle handle, const char *name, aclrtFuncHandle *out)
{
    struct binary *binary = handle;
    if (!handleAlive(HANDLE_BINARY, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    pthread_mutex_lock(&lock);
    struct function *function = binary->functions;
    while (function && strcmp(function->name, name) != 0) {
        function = function->next;
    }
    if (!function && (function = malloc(sizeof *function + strlen(name) + 1))) {
        *function = (struct function){binary->functions, binary, codeOf(binary, name)};
        strcpy(function->name, name);
        binary->functions = function;
        handleAdd(HANDLE_FUNCTION, function);
        if (!function->code && !isQuiet()) {
            fprintf(stderr, "aclsim: kernel `%s` has no host function: it does nothing; see aclsimDefineKernel\n", name);
        }
    }
    pthread_mutex_unlock(&lock);
    *out = function;
    return function ? ACL_SUCCESS : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

aclError rtFunctionGetBinary(aclrtFuncHandle handle, aclrtBinHandle *binary)
{
    if (!handleAlive(HANDLE_FUNCTION, handle)) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *binary = ((struct function *)handle)->binary;
    return ACL_SUCCESS;
}

aclError rtsFuncGetName(aclrtFuncHandle handle, uint32_t room, char *name)
{
    Dl_info found;
    const char *known = NULL;
    if (handleAlive(HANDLE_FUNCTION, handle)) {
        known = ((struct function *)handle)->name;
    } else if (handle && dladdr(handle, &found)) {
        known = found.dli_sname;
    }
    if (!known || room <= strlen(known)) {
        return known ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_INVALID_HANDLE;
    }
    strcpy(name, known);
    return ACL_SUCCESS;
}

void (*functionCode(aclrtFuncHandle handle))(void *args)
{
    if (handleAlive(HANDLE_FUNCTION, handle)) {
        return ((struct function *)handle)->code;
    }
    void (*code)(void *);
    memcpy(&code, &handle, sizeof code);
    return code;
}
