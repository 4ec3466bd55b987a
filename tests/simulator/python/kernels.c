/* `acl.rt`: binaries of kernels, the functions in them, lists of arguments, launches. Names and order are those of the pyACL reference
 * ("Kernel loading and execution") and of the module's published source. */
#include "dictionaries.h"
#include "acl/acl.h"
#include <stdlib.h>
#include <string.h>

static const struct row rows[] = {
    {"create_binary", "aclrtCreateBinary", "pz>p"},
    {"destroy_binary", "aclrtDestroyBinary", "p>e"},
    {"binary_load", "aclrtBinaryLoad", "p&p>e"},
    {"binary_unload", "aclrtBinaryUnLoad", "p>e"},
    {"binary_get_function", "aclrtBinaryGetFunction", "ps&p>e"},
    {"register_cpu_func", "aclrtRegisterCpuFunc", "pss&p>e"},
    {"get_function_addr", "aclrtGetFunctionAddr", "p&p&p>e"},
    {"launch_kernel", "aclrtLaunchKernel", "pupzp>e"},

    {"kernel_args_init", "aclrtKernelArgsInit", "p&p>e"},
    {"kernel_args_init_by_user_mem", "aclrtKernelArgsInitByUserMem", "pppz>e"},
    {"kernel_args_get_mem_size", "aclrtKernelArgsGetMemSize", "pz&z>e"},
    {"kernel_args_get_handle_mem_size", "aclrtKernelArgsGetHandleMemSize", "p&z>e"},
    {"kernel_args_append", "aclrtKernelArgsAppend", "ppz&p>e"},
    {"kernel_args_append_place_holder", "aclrtKernelArgsAppendPlaceHolder", "p&p>e"},
    {"kernel_args_get_place_holder_buffer", "aclrtKernelArgsGetPlaceHolderBuffer", "ppz&p>e"},
    {"kernel_args_para_update", "aclrtKernelArgsParaUpdate", "pppz>e"},
    {"kernel_args_finalize", "aclrtKernelArgsFinalize", "p>e"},
};

static int read_option(PyObject *dictionary, void *to)
{
    aclrtBinaryLoadOption *option = to;
    int failed = !is_dictionary(dictionary, "aclrtBinaryLoadOption");
    if (failed) return -1;
    option->type = (aclrtBinaryLoadOptionType)number_in(dictionary, "type", &failed);
    option->value.magic = (uint32_t)number_in(dictionary, "value", &failed);
    return failed ? -1 : 0;
}

/* Options of a list; an empty one is none at all. */
static int read_options(PyObject *list, aclrtBinaryLoadOptions *options)
{
    options->options = structures_of(list, sizeof *options->options, read_option, &options->numOpt);
    return options->options ? 0 : -1;
}

/* binary_load_from_file(path, options) -> (binary, code) */
static PyObject *binary_load_from_file(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "binary_load_from_file", 2, 2)) return NULL;
    PyObject *path = PyUnicode_AsUTF8String(PyTuple_GetItem(arguments, 0));
    if (!path) {
        PyErr_SetString(PyExc_TypeError, "binary_load_from_file() takes a string for argument 1");
        return NULL;
    }
    aclrtBinaryLoadOptions options;
    if (read_options(PyTuple_GetItem(arguments, 1), &options)) {
        Py_DecRef(path);
        return NULL;
    }
    void *binary = NULL;
    int (*load)(const char *, aclrtBinaryLoadOptions *, void **);
    *(void **)&load = runtime_function("aclrtBinaryLoadFromFile");
    int code = load(PyBytes_AsString(path), options.numOpt ? &options : NULL, &binary);
    free(options.options);
    Py_DecRef(path);
    return with_code(PyLong_FromUnsignedLongLong((uintptr_t)binary), code);
}

/* binary_load_from_data(data, length, options) -> (binary, code) */
static PyObject *binary_load_from_data(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "binary_load_from_data", 3, 3)) return NULL;
    int failed = 0;
    uint64_t data = argument(arguments, 0, &failed);
    uint64_t length = failed ? 0 : argument(arguments, 1, &failed);
    aclrtBinaryLoadOptions options;
    if (failed || read_options(PyTuple_GetItem(arguments, 2), &options)) return NULL;
    void *binary = NULL;
    int (*load)(const void *, size_t, const aclrtBinaryLoadOptions *, void **);
    *(void **)&load = runtime_function("aclrtBinaryLoadFromData");
    int code = load((const void *)(uintptr_t)data, length, options.numOpt ? &options : NULL, &binary);
    free(options.options);
    return with_code(PyLong_FromUnsignedLongLong((uintptr_t)binary), code);
}

enum { NAME_MOST = 1024 };

/* get_function_name(function, length) -> (name, code) */
static PyObject *get_function_name(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "get_function_name", 2, 2)) return NULL;
    int failed = 0;
    uint64_t function = argument(arguments, 0, &failed);
    uint64_t length = failed ? 0 : argument(arguments, 1, &failed);
    if (failed) return NULL;
    if (length >= NAME_MOST) {
        PyErr_SetString(PyExc_TypeError, "get_function_name() takes a length below 1024");
        return NULL;
    }
    char name[NAME_MOST] = "";
    int (*ask)(void *, uint32_t, char *);
    *(void **)&ask = runtime_function("aclrtGetFunctionName");
    int code = ask((void *)(uintptr_t)function, (uint32_t)length, name);
    return with_code(PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace"), code);
}

/* The value is a union; on both architectures a smaller member is the low bytes of a number of 32 bits. */
static int read_attribute(PyObject *dictionary, void *to)
{
    aclrtLaunchKernelAttr *attribute = to;
    int failed = !is_dictionary(dictionary, "aclrtLaunchKernelAttr");
    if (failed) return -1;
    attribute->id = (aclrtLaunchKernelAttrId)number_in(dictionary, "id", &failed);
    attribute->value.blockDimOffset = (uint32_t)number_in(dictionary, "value", &failed);
    return failed ? -1 : 0;
}

/* launch_kernel_with_config(function, blocks, stream, attributes, arguments, reserve) -> code */
static PyObject *launch_kernel_with_config(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "launch_kernel_with_config", 6, 6)) return NULL;
    int failed = 0;
    uint64_t words[6] = {0};
    for (int i = 0; i < 6 && !failed; i++)
        if (i != 3) words[i] = argument(arguments, i, &failed);
    if (failed) return NULL;
    struct aclrtLaunchKernelCfg config;
    config.attrs = structures_of(PyTuple_GetItem(arguments, 3), sizeof *config.attrs, read_attribute, &config.numAttrs);
    if (!config.attrs) return NULL;
    int (*launch)(void *, uint32_t, void *, aclrtLaunchKernelCfg *, void *, void *);
    *(void **)&launch = runtime_function("aclrtLaunchKernelWithConfig");
    PyThreadState *state = PyEval_SaveThread();
    int code = launch((void *)(uintptr_t)words[0], (uint32_t)words[1], (void *)(uintptr_t)words[2],
                      config.numAttrs ? &config : NULL, (void *)(uintptr_t)words[4], (void *)(uintptr_t)words[5]);
    PyEval_RestoreThread(state);
    free(config.attrs);
    return PyLong_FromLongLong(code);
}

static const struct method methods[] = {
    {"binary_load_from_file", "aclrtBinaryLoadFromFile", binary_load_from_file},
    {"binary_load_from_data", "aclrtBinaryLoadFromData", binary_load_from_data},
    {"get_function_name", "aclrtGetFunctionName", get_function_name},
    {"launch_kernel_with_config", "aclrtLaunchKernelWithConfig", launch_kernel_with_config},
};

int add_kernels(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
