/* `acl.op`: single operators and their attributes. */
#include "binding.h"
#include <stdlib.h>

static const struct row rows[] = {
    {"set_model_dir", "aclopSetModelDir", "s>e"},
    {"create_attr", "aclopCreateAttr", ">p"},
    {"destroy_attr", "aclopDestroyAttr", "p>v"},
    {"set_attr_bool", "aclopSetAttrBool", "psu>e"},
    {"set_attr_int", "aclopSetAttrInt", "psl>e"},
    {"set_attr_float", "aclopSetAttrFloat", "psf>e"},
    {"set_attr_string", "aclopSetAttrString", "pss>e"},
    {"set_attr_data_type", "aclopSetAttrDataType", "psi>e"},
    {"set_attr_list_int", "aclopSetAttrListInt", "psD>e"},
    {"execute", "aclopExecute", "sNnNnpp>e"},
    {"execute_v2", "aclopExecuteV2", "sNnNnpp>e"},
    {"create_handle", "aclopCreateHandle", "sNNp&p>e"},
    {"destroy_handle", "aclopDestroyHandle", "p>v"},
    {"execute_with_handle", "aclopExecWithHandle", "pNNp>e"},
    {"cast", "aclopCast", "ppppup>e"},
    {"compile", "aclopCompile", "sNNpiiS>e"},
    {"compile_and_execute", "aclopCompileAndExecute", "sNnNnpiiSp>e"},
    {"set_compile_opt", "aclSetCompileopt", "is>e"},
};

/* set_attr_list_float(attributes, name, values) -> code */
static PyObject *set_attr_list_float(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "set_attr_list_float", 3, 3)) return NULL;
    int failed = 0;
    uint64_t attributes = argument(arguments, 0, &failed);
    PyObject *name = failed ? NULL : PyUnicode_AsUTF8String(PyTuple_GetItem(arguments, 1));
    PyObject *list = PyTuple_GetItem(arguments, 2);
    Py_ssize_t size = name ? PySequence_Size(list) : -1;
    float *values = size < 0 ? NULL : malloc((size_t)(size ? size : 1) * sizeof *values);
    PyObject *code = NULL;
    for (Py_ssize_t i = 0; values && i < size && !failed; i++) {
        PyObject *item = PySequence_GetItem(list, i), *number = item ? PyNumber_Float(item) : NULL;
        if (item) Py_DecRef(item);
        failed = !number;
        if (number) values[i] = (float)PyFloat_AsDouble(number);
        if (number) Py_DecRef(number);
    }
    if (values && !failed) {
        int (*set)(void *, const char *, int, const float *);
        *(void **)&set = runtime_function("aclopSetAttrListFloat");
        code = PyLong_FromLongLong(set((void *)(uintptr_t)attributes, PyBytes_AsString(name), (int)size, values));
    }
    free(values);
    if (name) Py_DecRef(name);
    return code;
}

static const struct method methods[] = {{"set_attr_list_float", "aclopSetAttrListFloat", set_attr_list_float}};

int add_op(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
