/* `acl.mdl`: loading, describing and running offline models. */
#include "binding.h"
#include <string.h>

static const struct row rows[] = {
    {"query_size", "aclmdlQuerySize", "s&z&z>e"},
    {"query_size_from_mem", "aclmdlQuerySizeFromMem", "pz&z&z>e"},
    {"load_from_file", "aclmdlLoadFromFile", "s&u>e"},
    {"load_from_file_with_mem", "aclmdlLoadFromFileWithMem", "s&upzpz>e"},
    {"load_from_mem", "aclmdlLoadFromMem", "pz&u>e"},
    {"load_from_mem_with_mem", "aclmdlLoadFromMemWithMem", "pz&upzpz>e"},
    {"load_from_file_with_q", "aclmdlLoadFromFileWithQ", "s&upzpz>e"},
    {"load_from_mem_with_q", "aclmdlLoadFromMemWithQ", "pz&upzpz>e"},
    {"create_config_handle", "aclmdlCreateConfigHandle", ">p"},
    {"destroy_config_handle", "aclmdlDestroyConfigHandle", "p>e"},
    {"load_with_config", "aclmdlLoadWithConfig", "p&u>e"},
    {"unload", "aclmdlUnload", "u>e"},
    {"create_exec_config_handle", "aclmdlCreateExecConfigHandle", ">p"},
    {"destroy_exec_config_handle", "aclmdlDestroyExecConfigHandle", "p>e"},
    {"init_dump", "aclmdlInitDump", ">e"},
    {"set_dump", "aclmdlSetDump", "s>e"},
    {"finalize_dump", "aclmdlFinalizeDump", ">e"},
    {"get_op_attr", "aclmdlGetOpAttr", "pss>s"},
    {"bundle_load_from_file", "aclmdlBundleLoadFromFile", "s&u>e"},
    {"bundle_load_from_mem", "aclmdlBundleLoadFromMem", "pz&u>e"},
    {"bundle_unload", "aclmdlBundleUnload", "u>e"},
    {"bundle_get_model_num", "aclmdlBundleGetModelNum", "u&z>e"},
    {"bundle_get_model_id", "aclmdlBundleGetModelId", "uz&u>e"},
    {"create_desc", "aclmdlCreateDesc", ">p"},
    {"destroy_desc", "aclmdlDestroyDesc", "p>e"},
    {"get_desc", "aclmdlGetDesc", "pu>e"},
    {"get_desc_from_file", "aclmdlGetDescFromFile", "ps>e"},
    {"get_desc_from_mem", "aclmdlGetDescFromMem", "ppz>e"},
    {"get_num_inputs", "aclmdlGetNumInputs", "p>z"},
    {"get_num_outputs", "aclmdlGetNumOutputs", "p>z"},
    {"get_input_size_by_index", "aclmdlGetInputSizeByIndex", "pz>z"},
    {"get_output_size_by_index", "aclmdlGetOutputSizeByIndex", "pz>z"},
    {"get_input_name_by_index", "aclmdlGetInputNameByIndex", "pz>s"},
    {"get_output_name_by_index", "aclmdlGetOutputNameByIndex", "pz>s"},
    {"get_input_format", "aclmdlGetInputFormat", "pz>i"},
    {"get_output_format", "aclmdlGetOutputFormat", "pz>i"},
    {"get_input_data_type", "aclmdlGetInputDataType", "pz>i"},
    {"get_output_data_type", "aclmdlGetOutputDataType", "pz>i"},
    {"get_input_index_by_name", "aclmdlGetInputIndexByName", "ps&z>e"},
    {"get_output_index_by_name", "aclmdlGetOutputIndexByName", "ps&z>e"},
    {"get_tensor_real_name", "aclmdlGetTensorRealName", "ps>s"},
    {"create_dataset", "aclmdlCreateDataset", ">p"},
    {"destroy_dataset", "aclmdlDestroyDataset", "p>e"},
    {"get_dataset_num_buffers", "aclmdlGetDatasetNumBuffers", "p>z"},
    {"get_dataset_buffer", "aclmdlGetDatasetBuffer", "pz>p"},
    {"get_dataset_tensor_desc", "aclmdlGetDatasetTensorDesc", "pz>p"},
    {"execute", "aclmdlExecute", "upp>e"},
    {"execute_async", "aclmdlExecuteAsync", "uppp>e"},
    {"execute_v2", "aclmdlExecuteV2", "upppp>e"},
    {"execute_async_v2", "aclmdlExecuteAsyncV2", "upppp>e"},
};

/* Functions of (dataset, pointer[, index]) that give the dataset back beside the code. */
static PyObject *into_dataset(PyObject *arguments, const char *name, const char *function, Py_ssize_t count)
{
    if (!has_arguments(arguments, name, count, count)) return NULL;
    int failed = 0;
    uint64_t words[3] = {0, 0, 0};
    for (Py_ssize_t i = 0; i < count; i++) words[i] = argument(arguments, i, &failed);
    if (failed) return NULL;
    int (*add)(void *, void *, size_t);
    *(void **)&add = runtime_function(function);
    int code = add((void *)(uintptr_t)words[0], (void *)(uintptr_t)words[1], (size_t)words[2]);
    return with_code(PyLong_FromUnsignedLongLong(words[0]), code);
}

static PyObject *add_dataset_buffer(PyObject *self, PyObject *arguments)
{
    (void)self;
    return into_dataset(arguments, "add_dataset_buffer", "aclmdlAddDatasetBuffer", 2);
}

static PyObject *set_dataset_tensor_desc(PyObject *self, PyObject *arguments)
{
    (void)self;
    return into_dataset(arguments, "set_dataset_tensor_desc", "aclmdlSetDatasetTensorDesc", 3);
}

/* set_config_opt(handle, attribute, value) -> code. Attributes that are pointers take an address, paths a string, all others a number;
 * the C function copies `size` bytes. */
static PyObject *set_config_opt(PyObject *self, PyObject *arguments)
{
    (void)self;
    enum { PRIORITY = 0, PATH = 2 };
    if (!has_arguments(arguments, "set_config_opt", 3, 4)) return NULL;
    int failed = 0;
    uint64_t handle = argument(arguments, 0, &failed), attribute = argument(arguments, 1, &failed);
    if (failed) return NULL;
    int (*set)(void *, int, const void *, size_t);
    *(void **)&set = runtime_function("aclmdlSetConfigOpt");
    PyObject *given = PyTuple_GetItem(arguments, 2);
    if (attribute == PATH) {
        /* The handle keeps the pointer only; the text lives as long as the process, like a literal. */
        PyObject *text = PyUnicode_AsUTF8String(given);
        if (!text) return NULL;
        const char *path = PyBytes_AsString(text);
        return PyLong_FromLongLong(set((void *)(uintptr_t)handle, PATH, &path, sizeof path));
    }
    uint64_t value = integer_of(given, 1, &failed);
    if (failed) return NULL;
    size_t size = attribute == PRIORITY ? sizeof(int32_t) : sizeof value;
    return PyLong_FromLongLong(set((void *)(uintptr_t)handle, (int)attribute, &value, size));
}

/* set_exec_config_opt(handle, attribute, value) -> code */
static PyObject *set_exec_config_opt(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "set_exec_config_opt", 3, 3)) return NULL;
    int failed = 0;
    uint64_t handle = argument(arguments, 0, &failed), attribute = argument(arguments, 1, &failed);
    int32_t value = (int32_t)argument(arguments, 2, &failed);
    if (failed) return NULL;
    int (*set)(void *, int, const void *, size_t);
    *(void **)&set = runtime_function("aclmdlSetExecConfigOpt");
    return PyLong_FromLongLong(set((void *)(uintptr_t)handle, (int)attribute, &value, sizeof value));
}

static const struct method methods[] = {
    {"set_exec_config_opt", "aclmdlSetExecConfigOpt", set_exec_config_opt},
    {"add_dataset_buffer", "aclmdlAddDatasetBuffer", add_dataset_buffer},
    {"set_dataset_tensor_desc", "aclmdlSetDatasetTensorDesc", set_dataset_tensor_desc},
    {"set_config_opt", "aclmdlSetConfigOpt", set_config_opt},
};

int add_mdl(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
