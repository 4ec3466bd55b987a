/* The functions of `acl` itself: start and end, data buffers, tensor descriptions. */
#include "binding.h"

static const struct row rows[] = {
    {"init", "aclInit", "S>e"},
    {"finalize", "aclFinalize", ">e"},
    {"get_soc_name", "aclrtGetSocName", ">s"},
    {"get_recent_err_msg", "aclGetRecentErrMsg", ">s"},
    {"create_data_buffer", "aclCreateDataBuffer", "pz>p"},
    {"destroy_data_buffer", "aclDestroyDataBuffer", "p>e"},
    {"update_data_buffer", "aclUpdateDataBuffer", "ppz>e"},
    {"get_data_buffer_addr", "aclGetDataBufferAddr", "p>p"},
    {"get_data_buffer_size", "aclGetDataBufferSize", "p>u"},
    {"get_data_buffer_size_v2", "aclGetDataBufferSizeV2", "p>z"},
    {"data_type_size", "aclDataTypeSize", "i>z"},
    {"create_tensor_desc", "aclCreateTensorDesc", "iDi>p"},
    {"destroy_tensor_desc", "aclDestroyTensorDesc", "p>v"},
    {"get_tensor_desc_type", "aclGetTensorDescType", "p>i"},
    {"get_tensor_desc_format", "aclGetTensorDescFormat", "p>i"},
    {"get_tensor_desc_size", "aclGetTensorDescSize", "p>z"},
    {"get_tensor_desc_element_count", "aclGetTensorDescElementCount", "p>z"},
    {"get_tensor_desc_num_dims", "aclGetTensorDescNumDims", "p>z"},
    {"get_tensor_desc_dim", "aclGetTensorDescDim", "pz>l"},
    {"get_tensor_desc_dim_v2", "aclGetTensorDescDimV2", "pz&l>e"},
    {"get_tensor_desc_name", "aclGetTensorDescName", "p>s"},
    {"set_tensor_desc_name", "aclSetTensorDescName", "ps>v"},
    {"set_tensor_format", "aclSetTensorFormat", "pi>e"},
    {"set_tensor_shape", "aclSetTensorShape", "pD>e"},
    {"set_tensor_origin_format", "aclSetTensorOriginFormat", "pi>e"},
    {"set_tensor_origin_shape", "aclSetTensorOriginShape", "pD>e"},
    {"set_tensor_const", "aclSetTensorConst", "ppz>e"},
    {"set_tensor_place_mem", "aclSetTensorPlaceMent", "pi>e"},
};

/* app_log(level, message), as the samples' library calls it, or with the arguments of C: app_log(level, function, file, line,
 * message). The message is text, never a format. */
static PyObject *app_log(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "app_log", 2, 5)) return NULL;
    Py_ssize_t count = PyTuple_Size(arguments);
    if (count == 3 || count == 4) {
        PyErr_SetString(PyExc_TypeError, "app_log() takes 2 or 5 arguments");
        return NULL;
    }
    PyObject *texts[3] = {NULL, NULL, NULL};
    static const int short_places[3] = {1, 1, 1}, long_places[3] = {1, 2, 4};
    int failed = 0;
    uint64_t level = argument(arguments, 0, &failed), line = count == 5 ? argument(arguments, 3, &failed) : 0;
    for (int i = 0; i < 3 && !failed; i++) {
        texts[i] = PyUnicode_AsUTF8String(PyTuple_GetItem(arguments, (count == 5 ? long_places : short_places)[i]));
        failed = !texts[i];
    }
    void (*log)(int, const char *, const char *, uint32_t, const char *, ...);
    *(void **)&log = runtime_function("aclAppLog");
    if (!failed)
        log((int)level, count == 5 ? PyBytes_AsString(texts[0]) : "", count == 5 ? PyBytes_AsString(texts[1]) : "",
            (uint32_t)line, "%s", PyBytes_AsString(texts[2]));
    for (int i = 0; i < 3; i++)
        if (texts[i]) Py_DecRef(texts[i]);
    if (failed) return NULL;
    Py_IncRef(PY_NONE);
    return PY_NONE;
}

static const struct method methods[] = {{"app_log", "aclAppLog", app_log}};

int add_base(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
