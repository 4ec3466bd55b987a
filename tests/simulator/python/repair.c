/* `acl.rt`: memory with errors that the hardware cannot correct. */
#include "dictionaries.h"
#include "acl/acl.h"
#include <stdlib.h>

enum { RESERVED = sizeof((aclrtMemUceInfo *)0)->reserved / sizeof(size_t) };

static PyObject *dictionary_of(const aclrtMemUceInfo *info)
{
    PyObject *dictionary = PyDict_New(), *reserved = PyList_New(0);
    int failed = !dictionary || !reserved;
    for (int i = 0; i < RESERVED && !failed; i++) failed = append(reserved, PyLong_FromUnsignedLongLong(info->reserved[i])) != 0;
    failed = failed || put(dictionary, "addr", PyLong_FromUnsignedLongLong((uintptr_t)info->addr)) ||
             put(dictionary, "len", PyLong_FromUnsignedLongLong(info->len)) || PyDict_SetItemString(dictionary, "reserved", reserved);
    if (reserved) Py_DecRef(reserved);
    if (failed && dictionary) Py_DecRef(dictionary);
    return failed ? NULL : dictionary;
}

/* get_mem_uce_info(device, most) -> ([{addr, len, reserved}], code) */
static PyObject *get_mem_uce_info(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "get_mem_uce_info", 2, 2)) return NULL;
    int failed = 0;
    uint64_t device = argument(arguments, 0, &failed);
    uint64_t most = failed ? 0 : argument(arguments, 1, &failed);
    if (failed) return NULL;
    size_t found = 0;
    aclrtMemUceInfo *infos = most < SIZE_MAX ? calloc(most + 1, sizeof *infos) : NULL;
    if (!infos) return PyErr_NoMemory();
    int (*ask)(int32_t, aclrtMemUceInfo *, size_t, size_t *);
    *(void **)&ask = runtime_function("aclrtGetMemUceInfo");
    int code = ask((int32_t)device, infos, most, &found);
    PyObject *list = PyList_New(0);
    failed = !list;
    for (size_t i = 0; i < found && i < most && !failed; i++) failed = append(list, dictionary_of(&infos[i])) != 0;
    free(infos);
    if (failed && list) Py_DecRef(list);
    return failed ? NULL : with_code(list, code);
}

static int read_info(PyObject *dictionary, void *to)
{
    aclrtMemUceInfo *info = to;
    int failed = !is_dictionary(dictionary, "aclrtMemUceInfo");
    if (failed) return -1;
    info->addr = (void *)(uintptr_t)number_in(dictionary, "addr", &failed);
    info->len = number_in(dictionary, "len", &failed);
    PyObject *reserved = member(dictionary, "reserved", &failed);
    Py_ssize_t size = reserved ? PySequence_Size(reserved) : -1;
    for (Py_ssize_t i = 0; i < size && i < RESERVED && !failed; i++) {
        PyObject *item = PySequence_GetItem(reserved, i);
        failed = !item;
        if (item) info->reserved[i] = integer_of(item, 0, &failed);
        if (item) Py_DecRef(item);
    }
    return failed || size < 0 ? -1 : 0;
}

/* mem_uce_repair(device, [{addr, len, reserved}]) -> code */
static PyObject *mem_uce_repair(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "mem_uce_repair", 2, 2)) return NULL;
    int failed = 0;
    size_t count = 0;
    uint64_t device = argument(arguments, 0, &failed);
    aclrtMemUceInfo *infos = failed ? NULL : structures_of(PyTuple_GetItem(arguments, 1), sizeof *infos, read_info, &count);
    if (!infos) return NULL;
    int (*repair)(int32_t, aclrtMemUceInfo *, size_t);
    *(void **)&repair = runtime_function("aclrtMemUceRepair");
    int code = repair((int32_t)device, infos, count);
    free(infos);
    return PyLong_FromLongLong(code);
}

static const struct method methods[] = {
    {"get_mem_uce_info", "aclrtGetMemUceInfo", get_mem_uce_info},
    {"mem_uce_repair", "aclrtMemUceRepair", mem_uce_repair},
};

int add_repair(PyObject *module)
{
    return ADD_METHODS(module, methods);
}
