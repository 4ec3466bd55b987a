/* `acl.rt`: sharing between processes, by keys and lists of process ids, and descriptors of copies. */
#include "binding.h"
#include <stdlib.h>

static const struct row rows[] = {
    {"ipc_mem_import_by_key", "aclrtIpcMemImportByKey", "&psz>e"},
    {"ipc_mem_close", "aclrtIpcMemClose", "s>e"},
    {"notify_import_by_key", "aclrtNotifyImportByKey", "&psz>e"},
};

enum { KEY_MOST = 1024 };

/* A key that the runtime wrote, with the code. */
static PyObject *key_with_code(const char *key, int code)
{
    size_t size = 0;
    while (key[size]) size++;
    return with_code(PyUnicode_DecodeUTF8(key, (Py_ssize_t)size, "replace"), code);
}

static int key_fits(uint64_t size, const char *name)
{
    if (size < KEY_MOST) return 1;
    PyErr_Format(PyExc_TypeError, "%s() takes a length below 1024", name);
    return 0;
}

/* ipc_mem_get_export_key(pointer, size, length of the key, flags) -> (key, code) */
static PyObject *ipc_mem_get_export_key(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "ipc_mem_get_export_key", 4, 4)) return NULL;
    int failed = 0;
    uint64_t words[4];
    for (int i = 0; i < 4 && !failed; i++) words[i] = argument(arguments, i, &failed);
    if (failed || !key_fits(words[2], "ipc_mem_get_export_key")) return NULL;
    char key[KEY_MOST] = "";
    int (*export)(void *, size_t, char *, size_t, uint64_t);
    *(void **)&export = runtime_function("aclrtIpcMemGetExportKey");
    int code = export((void *)(uintptr_t)words[0], words[1], key, words[2], words[3]);
    return key_with_code(key, code);
}

/* notify_get_export_key(notify, length of the key, flags) -> (key, code) */
static PyObject *notify_get_export_key(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "notify_get_export_key", 3, 3)) return NULL;
    int failed = 0;
    uint64_t words[3];
    for (int i = 0; i < 3 && !failed; i++) words[i] = argument(arguments, i, &failed);
    if (failed || !key_fits(words[1], "notify_get_export_key")) return NULL;
    char key[KEY_MOST] = "";
    int (*export)(void *, char *, size_t, uint64_t);
    *(void **)&export = runtime_function("aclrtNotifyGetExportKey");
    int code = export((void *)(uintptr_t)words[0], key, words[1], words[2]);
    return key_with_code(key, code);
}

/* Passes `first` and a sequence of process ids to a function of (first, ids, count). */
static PyObject *call_with_ids(uint64_t first, PyObject *sequence, const char *function)
{
    Py_ssize_t size = PySequence_Size(sequence);
    if (size < 0) return NULL;
    int32_t *ids = calloc((size_t)size + 1, sizeof *ids);
    if (!ids) return PyErr_NoMemory();
    int failed = 0;
    for (Py_ssize_t i = 0; i < size && !failed; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        failed = !item;
        if (item) ids[i] = (int32_t)integer_of(item, 0, &failed);
        if (item) Py_DecRef(item);
    }
    int (*allow)(uint64_t, int32_t *, size_t);
    *(void **)&allow = runtime_function(function);
    PyObject *code = failed ? NULL : PyLong_FromLongLong(allow(first, ids, (size_t)size));
    free(ids);
    return code;
}

/* ipc_mem_set_import_pid(key, ids) -> code */
static PyObject *ipc_mem_set_import_pid(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "ipc_mem_set_import_pid", 2, 2)) return NULL;
    PyObject *key = PyUnicode_AsUTF8String(PyTuple_GetItem(arguments, 0));
    if (!key) {
        PyErr_SetString(PyExc_TypeError, "ipc_mem_set_import_pid() takes a string for argument 1");
        return NULL;
    }
    PyObject *code =
        call_with_ids((uintptr_t)PyBytes_AsString(key), PyTuple_GetItem(arguments, 1), "aclrtIpcMemSetImportPid");
    Py_DecRef(key);
    return code;
}

/* (handle, ids) -> code */
static PyObject *allow_handle(PyObject *arguments, const char *name, const char *function)
{
    if (!has_arguments(arguments, name, 2, 2)) return NULL;
    int failed = 0;
    uint64_t handle = argument(arguments, 0, &failed);
    return failed ? NULL : call_with_ids(handle, PyTuple_GetItem(arguments, 1), function);
}

static PyObject *notify_set_import_pid(PyObject *self, PyObject *arguments)
{
    (void)self;
    return allow_handle(arguments, "notify_set_import_pid", "aclrtNotifySetImportPid");
}

static PyObject *mem_set_pid_to_shareable_handle(PyObject *self, PyObject *arguments)
{
    (void)self;
    return allow_handle(arguments, "mem_set_pid_to_shareable_handle", "aclrtMemSetPidToShareableHandle");
}

/* set_memcpy_desc(descriptor, kind, source, target, count, configuration) -> (descriptor, code) */
static PyObject *set_memcpy_desc(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "set_memcpy_desc", 6, 6)) return NULL;
    int failed = 0;
    uint64_t words[6];
    for (int i = 0; i < 6 && !failed; i++) words[i] = argument(arguments, i, &failed);
    if (failed) return NULL;
    int (*set)(uint64_t, int, uint64_t, uint64_t, size_t, uint64_t);
    *(void **)&set = runtime_function("aclrtSetMemcpyDesc");
    PyThreadState *state = PyEval_SaveThread();
    int code = set(words[0], (int)words[1], words[2], words[3], words[4], words[5]);
    PyEval_RestoreThread(state);
    return with_code(PyLong_FromUnsignedLongLong(words[0]), code);
}

static const struct method methods[] = {
    {"ipc_mem_get_export_key", "aclrtIpcMemGetExportKey", ipc_mem_get_export_key},
    {"ipc_mem_set_import_pid", "aclrtIpcMemSetImportPid", ipc_mem_set_import_pid},
    {"notify_get_export_key", "aclrtNotifyGetExportKey", notify_get_export_key},
    {"notify_set_import_pid", "aclrtNotifySetImportPid", notify_set_import_pid},
    {"mem_set_pid_to_shareable_handle", "aclrtMemSetPidToShareableHandle", mem_set_pid_to_shareable_handle},
    {"set_memcpy_desc", "aclrtSetMemcpyDesc", set_memcpy_desc},
};

int add_keys(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
