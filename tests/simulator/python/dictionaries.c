/* `acl.rt`: memory that is described by dictionaries. The keys are the members of the C structures, as the pyACL reference lists them. A
 * dictionary without one of them is a TypeError. */
#include "dictionaries.h"
#include "acl/acl.h"
#include <stdlib.h>

int is_dictionary(PyObject *object, const char *structure)
{
    if (object && PyObject_IsInstance(object, &PyDict_Type) == 1) return 1;
    PyErr_Format(PyExc_TypeError, "%s is a dictionary", structure);
    return 0;
}

PyObject *member(PyObject *dictionary, const char *key, int *failed)
{
    PyObject *item = *failed ? NULL : PyDict_GetItemString(dictionary, key);
    if (!item && !*failed) {
        PyErr_Format(PyExc_TypeError, "the dictionary lacks '%s'", key);
        *failed = 1;
    }
    return item;
}

uint64_t number_in(PyObject *dictionary, const char *key, int *failed)
{
    PyObject *item = member(dictionary, key, failed);
    return item ? integer_of(item, 0, failed) : 0;
}

/* aclrtMallocAttrValue is a union: one of its members is given. */
static int read_value(PyObject *dictionary, aclrtMallocAttrValue *value)
{
    int failed = !is_dictionary(dictionary, "aclrtMallocAttrValue");
    if (failed) return -1;
    if (PyDict_GetItemString(dictionary, "moduleId")) {
        value->moduleId = (uint16_t)number_in(dictionary, "moduleId", &failed);
    } else if (PyDict_GetItemString(dictionary, "deviceId")) {
        value->deviceId = (uint32_t)number_in(dictionary, "deviceId", &failed);
    } else {
        PyObject *bytes = member(dictionary, "rsv", &failed);
        Py_ssize_t size = bytes ? PySequence_Size(bytes) : -1;
        if (size < 0) return -1;
        for (Py_ssize_t i = 0; i < size && i < (Py_ssize_t)sizeof value->rsv && !failed; i++) {
            PyObject *item = PySequence_GetItem(bytes, i);
            failed = !item;
            if (item) value->rsv[i] = (uint8_t)integer_of(item, 0, &failed);
            if (item) Py_DecRef(item);
        }
    }
    return failed ? -1 : 0;
}

/* `attrs` is allocated, and NULL for an empty dictionary, which means no configuration. */
static int read_config(PyObject *dictionary, aclrtMallocConfig *config)
{
    *config = (aclrtMallocConfig){NULL, 0};
    int failed = !is_dictionary(dictionary, "aclrtMallocConfig");
    if (failed || PyDict_Size(dictionary) == 0) return failed ? -1 : 0;
    uint64_t count = number_in(dictionary, "numAttrs", &failed);
    PyObject *list = member(dictionary, "attrs", &failed);
    Py_ssize_t size = list ? PySequence_Size(list) : -1;
    if (size < 0) return -1;
    if ((uint64_t)size != count) {
        PyErr_SetString(PyExc_TypeError, "'numAttrs' is the length of 'attrs'");
        return -1;
    }
    config->numAttrs = (size_t)size;
    config->attrs = calloc((size_t)size + 1, sizeof *config->attrs);
    if (!config->attrs) return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < size && !failed; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        failed = !item || !is_dictionary(item, "aclrtMallocAttribute");
        if (!failed) config->attrs[i].attr = (aclrtMallocAttrType)number_in(item, "attr", &failed);
        PyObject *value = failed ? NULL : member(item, "value", &failed);
        if (value) failed = read_value(value, &config->attrs[i].value) != 0;
        if (item) Py_DecRef(item);
    }
    if (failed) free(config->attrs);
    return failed ? -1 : 0;
}

/* (size, policy, configuration) -> (pointer, code) */
static PyObject *on_device(PyObject *arguments, const char *name, const char *function)
{
    if (!has_arguments(arguments, name, 3, 3)) return NULL;
    int failed = 0;
    aclrtMallocConfig config;
    uint64_t size = integer_of(PyTuple_GetItem(arguments, 0), 0, &failed);
    uint64_t policy = failed ? 0 : integer_of(PyTuple_GetItem(arguments, 1), 0, &failed);
    if (failed || read_config(PyTuple_GetItem(arguments, 2), &config)) return NULL;
    void *pointer = NULL;
    int (*allocate)(void **, size_t, int, aclrtMallocConfig *);
    *(void **)&allocate = runtime_function(function);
    PyThreadState *state = PyEval_SaveThread();
    int code = allocate(&pointer, size, (int)policy, config.attrs ? &config : NULL);
    PyEval_RestoreThread(state);
    free(config.attrs);
    return with_code(PyLong_FromUnsignedLongLong((uintptr_t)pointer), code);
}

static PyObject *malloc_with_cfg(PyObject *self, PyObject *arguments)
{
    (void)self;
    return on_device(arguments, "malloc_with_cfg", "aclrtMallocWithCfg");
}

static PyObject *malloc_for_task_scheduler(PyObject *self, PyObject *arguments)
{
    (void)self;
    return on_device(arguments, "malloc_for_task_scheduler", "aclrtMallocForTaskScheduler");
}

/* malloc_host_with_cfg(size, configuration) -> (pointer, code) */
static PyObject *malloc_host_with_cfg(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "malloc_host_with_cfg", 2, 2)) return NULL;
    int failed = 0;
    aclrtMallocConfig config;
    uint64_t size = integer_of(PyTuple_GetItem(arguments, 0), 0, &failed);
    if (failed || read_config(PyTuple_GetItem(arguments, 1), &config)) return NULL;
    void *pointer = NULL;
    int (*allocate)(void **, uint64_t, aclrtMallocConfig *);
    *(void **)&allocate = runtime_function("aclrtMallocHostWithCfg");
    PyThreadState *state = PyEval_SaveThread();
    int code = allocate(&pointer, size, config.attrs ? &config : NULL);
    PyEval_RestoreThread(state);
    free(config.attrs);
    return with_code(PyLong_FromUnsignedLongLong((uintptr_t)pointer), code);
}

static int read_properties(PyObject *dictionary, aclrtPhysicalMemProp *properties)
{
    int failed = !is_dictionary(dictionary, "aclrtPhysicalMemProp");
    if (failed) return -1;
    properties->handleType = (aclrtMemHandleType)number_in(dictionary, "handleType", &failed);
    properties->allocationType = (aclrtMemAllocationType)number_in(dictionary, "allocationType", &failed);
    properties->memAttr = (aclrtMemAttr)number_in(dictionary, "memAttr", &failed);
    properties->reserve = number_in(dictionary, "reserve", &failed);
    PyObject *location = member(dictionary, "location", &failed);
    if (failed || !is_dictionary(location, "aclrtMemLocation")) return -1;
    properties->location.id = (uint32_t)number_in(location, "id", &failed);
    properties->location.type = (aclrtMemLocationType)number_in(location, "type", &failed);
    return failed ? -1 : 0;
}

/* malloc_physical(size, properties, flags) -> (handle, code) */
static PyObject *malloc_physical(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "malloc_physical", 3, 3)) return NULL;
    int failed = 0;
    aclrtPhysicalMemProp properties = {0};
    uint64_t size = integer_of(PyTuple_GetItem(arguments, 0), 0, &failed);
    uint64_t flags = failed ? 0 : integer_of(PyTuple_GetItem(arguments, 2), 0, &failed);
    if (failed || read_properties(PyTuple_GetItem(arguments, 1), &properties)) return NULL;
    void *handle = NULL;
    int (*allocate)(void **, size_t, const aclrtPhysicalMemProp *, uint64_t);
    *(void **)&allocate = runtime_function("aclrtMallocPhysical");
    PyThreadState *state = PyEval_SaveThread();
    int code = allocate(&handle, size, &properties, flags);
    PyEval_RestoreThread(state);
    return with_code(PyLong_FromUnsignedLongLong((uintptr_t)handle), code);
}

/* mem_get_allocation_granularity(properties, option) -> (granularity, code) */
static PyObject *mem_get_allocation_granularity(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "mem_get_allocation_granularity", 2, 2)) return NULL;
    int failed = 0;
    aclrtPhysicalMemProp properties = {0};
    uint64_t option = integer_of(PyTuple_GetItem(arguments, 1), 0, &failed);
    if (failed || read_properties(PyTuple_GetItem(arguments, 0), &properties)) return NULL;
    size_t granularity = 0;
    int (*ask)(aclrtPhysicalMemProp *, int, size_t *);
    *(void **)&ask = runtime_function("aclrtMemGetAllocationGranularity");
    int code = ask(&properties, (int)option, &granularity);
    return with_code(PyLong_FromUnsignedLongLong(granularity), code);
}

int put(PyObject *dictionary, const char *key, PyObject *value)
{
    int failed = !value || PyDict_SetItemString(dictionary, key, value);
    if (value) Py_DecRef(value);
    return failed ? -1 : 0;
}

int append(PyObject *list, PyObject *value)
{
    int failed = !value || PyList_Append(list, value);
    if (value) Py_DecRef(value);
    return failed ? -1 : 0;
}

void *structures_of(PyObject *list, size_t size, int (*read)(PyObject *dictionary, void *structure), size_t *count)
{
    Py_ssize_t length = PySequence_Size(list);
    if (length < 0) return NULL;
    char *structures = calloc((size_t)length + 1, size);
    if (!structures) return PyErr_NoMemory();
    int failed = 0;
    for (Py_ssize_t i = 0; i < length && !failed; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        failed = !item || read(item, structures + (size_t)i * size);
        if (item) Py_DecRef(item);
    }
    *count = (size_t)length;
    if (!failed) return structures;
    free(structures);
    return NULL;
}

static PyObject *location_of(const aclrtMemLocation *location)
{
    PyObject *dictionary = PyDict_New();
    if (dictionary && (put(dictionary, "id", PyLong_FromUnsignedLongLong(location->id)) ||
                       put(dictionary, "type", PyLong_FromUnsignedLongLong(location->type)))) {
        Py_DecRef(dictionary);
        return NULL;
    }
    return dictionary;
}

/* pointer_get_attributes(pointer) -> ({location, page_size, rsv}, code). The reference spells `pageSize`; the module's published source,
 * and with it what programs find, `page_size`. */
static PyObject *pointer_get_attributes(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "pointer_get_attributes", 1, 1)) return NULL;
    int failed = 0;
    uint64_t pointer = argument(arguments, 0, &failed);
    if (failed) return NULL;
    aclrtPtrAttributes attributes = {0};
    int (*ask)(const void *, aclrtPtrAttributes *);
    *(void **)&ask = runtime_function("aclrtPointerGetAttributes");
    int code = ask((const void *)(uintptr_t)pointer, &attributes);
    PyObject *dictionary = PyDict_New(), *reserved = PyList_New(0);
    failed = !dictionary || !reserved;
    for (size_t i = 0; i < sizeof attributes.rsv / sizeof *attributes.rsv && !failed; i++)
        failed = append(reserved, PyLong_FromUnsignedLongLong(attributes.rsv[i])) != 0;
    failed = failed || put(dictionary, "location", location_of(&attributes.location)) ||
             put(dictionary, "page_size", PyLong_FromUnsignedLongLong(attributes.pageSize)) ||
             PyDict_SetItemString(dictionary, "rsv", reserved);
    if (reserved) Py_DecRef(reserved);
    if (failed && dictionary) Py_DecRef(dictionary);
    return failed ? NULL : with_code(dictionary, code);
}

static const struct method methods[] = {
    {"malloc_with_cfg", "aclrtMallocWithCfg", malloc_with_cfg},
    {"malloc_for_task_scheduler", "aclrtMallocForTaskScheduler", malloc_for_task_scheduler},
    {"malloc_host_with_cfg", "aclrtMallocHostWithCfg", malloc_host_with_cfg},
    {"malloc_physical", "aclrtMallocPhysical", malloc_physical},
    {"mem_get_allocation_granularity", "aclrtMemGetAllocationGranularity", mem_get_allocation_granularity},
    {"pointer_get_attributes", "aclrtPointerGetAttributes", pointer_get_attributes},
};

int add_dictionaries(PyObject *module)
{
    return ADD_METHODS(module, methods);
}
