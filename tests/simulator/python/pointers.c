/* `acl.util`: addresses of Python's objects, bytes at an address, and threads for reports.
 * NumPy is reached through its Python interface, so that every version works. */
#include "binding.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* numpy_to_ptr(array) -> address */
static PyObject *numpy_to_ptr(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "numpy_to_ptr", 1, 1)) return NULL;
    PyObject *view = PyObject_GetAttrString(PyTuple_GetItem(arguments, 0), "ctypes");
    PyObject *data = view ? PyObject_GetAttrString(view, "data") : NULL;
    if (view) Py_DecRef(view);
    if (!data) PyErr_SetString(PyExc_TypeError, "numpy_to_ptr() takes a numpy.ndarray");
    return data;
}

/* numpy_contiguous_to_ptr(array) -> (address, array): the array itself if its rows are contiguous, else a copy */
static PyObject *numpy_contiguous_to_ptr(PyObject *self, PyObject *arguments)
{
    if (!has_arguments(arguments, "numpy_contiguous_to_ptr", 1, 1)) return NULL;
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *array = numpy ? PyObject_CallMethod(numpy, "ascontiguousarray", "O", PyTuple_GetItem(arguments, 0)) : NULL;
    PyObject *one = array ? PyTuple_New(1) : NULL, *pair = one ? PyTuple_New(2) : NULL;
    if (numpy) Py_DecRef(numpy);
    if (!pair) return NULL;
    PyTuple_SetItem(one, 0, array); /* takes the reference */
    PyObject *address = numpy_to_ptr(self, one);
    if (!address) return NULL;
    Py_IncRef(array);
    PyTuple_SetItem(pair, 0, address);
    PyTuple_SetItem(pair, 1, array);
    Py_DecRef(one);
    return pair;
}

/* ptr_to_numpy(address, shape, type number) -> array over that memory, which it does not own */
static PyObject *ptr_to_numpy(PyObject *self, PyObject *arguments)
{
    (void)self;
    /* NumPy's type numbers are the places of these letters; 23 is half precision (numpy/ndarraytypes.h). */
    static const char letters[] = "?bBhHiIlLqQfdgFDG";
    static const int bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 4, 8, 16, 8, 16, 32};
    if (!has_arguments(arguments, "ptr_to_numpy", 3, 3)) return NULL;
    int failed = 0;
    uint64_t address = argument(arguments, 0, &failed), type = argument(arguments, 2, &failed);
    PyObject *shape = failed ? NULL : PySequence_Tuple(PyTuple_GetItem(arguments, 1));
    if (!shape) return NULL;
    char letter[2] = {type == 23 ? 'e' : type < sizeof letters - 1 ? letters[type] : 0, 0};
    uint64_t size = type == 23 ? 2 : letter[0] ? (uint64_t)bytes[type] : 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(shape); i++) size *= integer_of(PyTuple_GetItem(shape, i), 0, &failed);
    if (!letter[0]) PyErr_Format(PyExc_TypeError, "ptr_to_numpy(): %d is no type number of NumPy's", (int)type);
    PyObject *numpy = letter[0] && !failed ? PyImport_ImportModule("numpy") : NULL;
    PyObject *memory = numpy ? PyMemoryView_FromMemory((char *)(uintptr_t)address, (Py_ssize_t)size, PYBUF_WRITE) : NULL;
    PyObject *flat = memory ? PyObject_CallMethod(numpy, "frombuffer", "Os", memory, letter) : NULL;
    PyObject *array = flat ? PyObject_CallMethod(flat, "reshape", "O", shape) : NULL;
    if (flat) Py_DecRef(flat);
    if (memory) Py_DecRef(memory);
    if (numpy) Py_DecRef(numpy);
    Py_DecRef(shape);
    return array;
}

/* bytes_to_ptr(bytes) -> address, valid as long as the object */
static PyObject *bytes_to_ptr(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "bytes_to_ptr", 1, 1)) return NULL;
    char *text = PyBytes_AsString(PyTuple_GetItem(arguments, 0));
    return text ? PyLong_FromUnsignedLongLong((uintptr_t)text) : NULL;
}

/* ptr_to_bytes(address, size) -> a copy */
static PyObject *ptr_to_bytes(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "ptr_to_bytes", 2, 2)) return NULL;
    int failed = 0;
    uint64_t address = argument(arguments, 0, &failed), size = argument(arguments, 1, &failed);
    return failed ? NULL : PyBytes_FromStringAndSize((const char *)(uintptr_t)address, (Py_ssize_t)size);
}

/* vector_to_ptr(sequence) -> address of its numbers as int64_t, as vectors of AscendCL hold them. The memory stays for the life of the
 * process: nothing says when the program is done with it. */
static PyObject *vector_to_ptr(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "vector_to_ptr", 1, 1)) return NULL;
    PyObject *sequence = PyTuple_GetItem(arguments, 0);
    Py_ssize_t size = PySequence_Size(sequence);
    if (size < 0) return NULL;
    int64_t *values = malloc((size_t)(size ? size : 1) * sizeof *values);
    if (!values) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        int failed = !item;
        if (item) values[i] = (int64_t)integer_of(item, 0, &failed);
        if (item) Py_DecRef(item);
        if (failed) {
            free(values);
            return NULL;
        }
    }
    return PyLong_FromUnsignedLongLong((uintptr_t)values);
}

/* A function with its list of arguments, owned until it has run. */
struct work {
    PyObject *function;
    PyObject *arguments;
};

static void *run_work(void *pointer)
{
    struct work *work = pointer;
    int state = PyGILState_Ensure();
    PyObject *result = PyObject_CallFunction(work->function, "(O)", work->arguments);
    if (result) Py_DecRef(result);
    else PyErr_Print();
    Py_DecRef(work->function);
    Py_DecRef(work->arguments);
    PyGILState_Release(state);
    free(work);
    return NULL;
}

/* start_thread(function, arguments) -> (thread, code). The number is what acl.rt.subscribe_report takes: the pthread_t. */
static PyObject *start_thread(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "start_thread", 2, 2)) return NULL;
    PyObject *function = PyTuple_GetItem(arguments, 0);
    if (!PyCallable_Check(function)) {
        PyErr_SetString(PyExc_TypeError, "start_thread() takes a callable first");
        return NULL;
    }
    struct work *work = malloc(sizeof *work);
    if (!work) return PyErr_NoMemory();
    *work = (struct work){function, PyTuple_GetItem(arguments, 1)};
    Py_IncRef(work->function);
    Py_IncRef(work->arguments);
    pthread_t thread = 0;
    int code = pthread_create(&thread, NULL, run_work, work);
    if (code) {
        Py_DecRef(work->function);
        Py_DecRef(work->arguments);
        free(work);
    }
    return with_code(PyLong_FromUnsignedLongLong((unsigned long long)thread), code);
}

/* stop_thread(thread) -> code, once the function has returned */
static PyObject *stop_thread(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "stop_thread", 1, 1)) return NULL;
    int failed = 0;
    uint64_t thread = argument(arguments, 0, &failed);
    if (failed) return NULL;
    PyThreadState *state = PyEval_SaveThread();
    int code = pthread_join((pthread_t)thread, NULL);
    PyEval_RestoreThread(state);
    return PyLong_FromLongLong(code);
}

static const struct method methods[] = {
    {"numpy_contiguous_to_ptr", NULL, numpy_contiguous_to_ptr},
    {"numpy_to_ptr", NULL, numpy_to_ptr},   {"ptr_to_numpy", NULL, ptr_to_numpy}, {"bytes_to_ptr", NULL, bytes_to_ptr},
    {"ptr_to_bytes", NULL, ptr_to_bytes},   {"vector_to_ptr", NULL, vector_to_ptr},
    {"start_thread", NULL, start_thread},   {"stop_thread", NULL, stop_thread},
};

int add_util(PyObject *module)
{
    return ADD_METHODS(module, methods);
}
