/* Calls a function of the runtime as a row describes it. */
#define _GNU_SOURCE
#include "binding.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 20, RESULTS_MOST = 6 };

struct bound {
    PyMethodDef definition;
    const struct row *row;
    void *function;
};

/* One call being prepared. */
struct call {
    const char *name; /* for messages */
    uint64_t words[WORDS_MOST];
    int count;
    float real; /* no function takes more than one */
    int has_real;
    uint64_t written[RESULTS_MOST];
    char kinds[RESULTS_MOST];
    int results;
    void *arrays[WORDS_MOST]; /* freed afterwards */
    int array_count;
    PyObject *texts[WORDS_MOST]; /* released afterwards */
    int text_count;
};

void *runtime_function(const char *name)
{
    static const char *const libraries[] = {"libascendcl.so", "libacl_dvpp.so", "libacl_op_compiler.so"};
    static int opened;
    if (!opened) {
        opened = 1;
        for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) dlopen(libraries[i], RTLD_NOW | RTLD_GLOBAL);
    }
    return dlsym(RTLD_DEFAULT, name);
}

uint64_t integer_of(PyObject *object, int none_is_zero, int *failed)
{
    if (none_is_zero && object == PY_NONE) return 0;
    PyObject *index = PyNumber_Index(object);
    if (!index) {
        *failed = 1;
        return 0;
    }
    uint64_t value = PyLong_AsUnsignedLongLongMask(index);
    Py_DecRef(index);
    return value;
}

float real_of(PyObject *object, int *failed)
{
    PyObject *number = PyNumber_Check(object) ? PyNumber_Float(object) : NULL;
    if (!number) {
        PyErr_SetString(PyExc_TypeError, "a real number is required");
        *failed = 1;
        return 0;
    }
    float real = (float)PyFloat_AsDouble(number);
    Py_DecRef(number);
    return real;
}

uint64_t argument(PyObject *arguments, Py_ssize_t index, int *failed)
{
    return integer_of(PyTuple_GetItem(arguments, index), 1, failed);
}

int has_arguments(PyObject *arguments, const char *name, Py_ssize_t least, Py_ssize_t most)
{
    Py_ssize_t count = PyTuple_Size(arguments);
    if (count >= least && count <= most) return 1;
    PyErr_Format(PyExc_TypeError, "%s() takes %d to %d arguments (%d given)", name, (int)least, (int)most, (int)count);
    return 0;
}

PyObject *with_code(PyObject *value, int code)
{
    if (!value) return NULL;
    PyObject *pair = PyTuple_New(2);
    PyObject *number = PyLong_FromLongLong(code);
    if (!pair || !number) {
        Py_DecRef(value);
        return NULL;
    }
    PyTuple_SetItem(pair, 0, value);
    PyTuple_SetItem(pair, 1, number);
    return pair;
}

static int pass_text(struct call *call, PyObject *object, int may_be_none, int place)
{
    if (may_be_none && (!object || object == PY_NONE)) {
        call->words[call->count++] = 0;
        return 0;
    }
    PyObject *text = PyUnicode_AsUTF8String(object);
    if (!text) {
        PyErr_Format(PyExc_TypeError, "%s() takes a string for argument %d", call->name, place + 1);
        return -1;
    }
    call->texts[call->text_count++] = text;
    call->words[call->count++] = (uint64_t)(uintptr_t)PyBytes_AsString(text);
    return 0;
}

static int pass_array(struct call *call, PyObject *object, int with_count)
{
    Py_ssize_t size = PySequence_Size(object);
    if (size < 0) return -1;
    uint64_t *array = malloc((size_t)(size ? size : 1) * sizeof *array);
    if (!array) return PyErr_NoMemory(), -1;
    call->arrays[call->array_count++] = array;
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PySequence_GetItem(object, i);
        int failed = !item;
        if (item) array[i] = integer_of(item, 1, &failed);
        if (item) Py_DecRef(item);
        if (failed) return -1;
    }
    if (with_count) call->words[call->count++] = (uint64_t)size;
    call->words[call->count++] = (uint64_t)(uintptr_t)array;
    return 0;
}

/* One parameter that Python gives. */
static int pass(struct call *call, char kind, PyObject *object, int place)
{
    int failed = 0;
    switch (kind) {
    case 's':
    case 'S':
        return pass_text(call, object, kind == 'S', place);
    case 'D':
    case 'N':
        return pass_array(call, object, 1);
    case 'n':
        return pass_array(call, object, 0);
    case 'f':
        call->real = real_of(object, &failed);
        call->has_real = 1;
        return failed ? -1 : 0;
    default:
        call->words[call->count++] = integer_of(object, kind == 'p', &failed);
        return failed ? -1 : 0;
    }
}

/* All parameters of a signature. */
static int prepare(struct call *call, const struct row *row, PyObject *arguments)
{
    Py_ssize_t given = PyTuple_Size(arguments), taken = 0, most = 0;
    for (const char *at = row->signature; *at != '>'; at++) {
        if (*at == '&') {
            at++;
            call->kinds[call->results] = *at;
            call->words[call->count++] = (uint64_t)(uintptr_t)&call->written[call->results++];
            continue;
        }
        most++;
        PyObject *object = taken < given ? PyTuple_GetItem(arguments, taken) : NULL;
        if (!object && *at != 'S') break;
        if (pass(call, *at, object, (int)taken)) return -1;
        taken += object != NULL;
    }
    if (taken == given && given <= most) {
        /* A parameter that was not given ended the loop before `>`. */
        Py_ssize_t needed = 0;
        for (const char *at = row->signature; *at != '>'; at++) {
            if (*at == '&') at++;
            else needed += *at != 'S';
        }
        if (taken >= needed) return 0;
        most = needed;
    }
    PyErr_Format(PyExc_TypeError, "%s() takes %d arguments (%d given)", row->name, (int)most, (int)given);
    return -1;
}

/* Integers and pointers go in registers and stack slots of 64 bits on both architectures, so a function may be called with more of them
 * than it has parameters (System V AMD64 ABI 3.2.3, AAPCS64 6.8.2). A float has registers of its own. */
static uint64_t invoke(void *function, const struct call *call)
{
    const uint64_t *w = call->words;
    typedef uint64_t (*whole)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                              uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                              uint64_t, uint64_t);
    typedef uint64_t (*with_float)(uint64_t, uint64_t, uint64_t, float);
    if (call->has_real) return ((with_float)function)(w[0], w[1], w[2], call->real);
    return ((whole)function)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14],
                             w[15], w[16], w[17], w[18], w[19]);
}

static PyObject *value_of(char kind, uint64_t value)
{
    float real;
    const char *text;
    switch (kind) {
    case 'i':
    case 'e':
        return PyLong_FromLongLong((int32_t)value);
    case 'l':
        return PyLong_FromLongLong((int64_t)value);
    case 'u':
        return PyLong_FromUnsignedLongLong((uint32_t)value);
    case 'f':
        memcpy(&real, &value, sizeof real);
        return PyFloat_FromDouble(real);
    case 's':
        text = (const char *)(uintptr_t)value;
        return PyUnicode_DecodeUTF8(text ? text : "", text ? (Py_ssize_t)strlen(text) : 0, "replace");
    default:
        return PyLong_FromUnsignedLongLong(value);
    }
}

static PyObject *results_of(const struct call *call, char kind, uint64_t result)
{
    int count = call->results + (kind != 'v');
    if (count == 0) {
        Py_IncRef(PY_NONE);
        return PY_NONE;
    }
    if (count == 1) return call->results ? value_of(call->kinds[0], call->written[0]) : value_of(kind, result);
    PyObject *all = PyTuple_New(count);
    for (int i = 0; all && i < count; i++) {
        int is_written = i < call->results;
        PyObject *value = value_of(is_written ? call->kinds[i] : kind, is_written ? call->written[i] : result);
        if (!value) {
            Py_DecRef(all);
            return NULL;
        }
        PyTuple_SetItem(all, i, value);
    }
    return all;
}

static PyObject *call_row(PyObject *self, PyObject *arguments)
{
    const struct bound *bound = PyCapsule_GetPointer(self, NULL);
    if (!bound) return NULL;
    struct call call = {.name = bound->row->name};
    PyObject *results = NULL;
    if (prepare(&call, bound->row, arguments) == 0) {
        /* Other Python threads run meanwhile: a wait may be for a callback that one of them has to process. */
        PyThreadState *state = PyEval_SaveThread();
        uint64_t result = invoke(bound->function, &call);
        PyEval_RestoreThread(state);
        results = results_of(&call, strchr(bound->row->signature, '>')[1], result);
    }
    for (int i = 0; i < call.array_count; i++) free(call.arrays[i]);
    for (int i = 0; i < call.text_count; i++) Py_DecRef(call.texts[i]);
    return results;
}

/* Adds a callable that lives as long as the process. */
static int add_callable(PyObject *module, PyMethodDef *definition, PyObject *self)
{
    PyObject *callable = PyCFunction_NewEx(definition, self, NULL);
    return callable ? PyModule_AddObject(module, definition->ml_name, callable) : -1;
}

int add_rows(PyObject *module, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *function = runtime_function(rows[i].function);
        if (!function) continue;
        struct bound *bound = malloc(sizeof *bound);
        if (!bound) return PyErr_NoMemory(), -1;
        *bound = (struct bound){{rows[i].name, call_row, METH_VARARGS, rows[i].function}, &rows[i], function};
        PyObject *self = PyCapsule_New(bound, NULL, NULL);
        if (!self || add_callable(module, &bound->definition, self)) return -1;
        Py_DecRef(self);
    }
    return 0;
}

int add_methods(PyObject *module, const struct method *methods, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (methods[i].function && !runtime_function(methods[i].function)) continue;
        PyMethodDef *definition = malloc(sizeof *definition);
        if (!definition) return PyErr_NoMemory(), -1;
        *definition = (PyMethodDef){methods[i].name, methods[i].call, METH_VARARGS, methods[i].function};
        if (add_callable(module, definition, NULL)) return -1;
    }
    return 0;
}
