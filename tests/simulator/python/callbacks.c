/* `acl.rt`: Python functions that the runtime calls. */
#include "binding.h"
#include <stdlib.h>

static const struct row rows[] = {
    {"subscribe_report", "aclrtSubscribeReport", "zp>e"},
    {"unsubscribe_report", "aclrtUnSubscribeReport", "zp>e"},
    {"process_report", "aclrtProcessReport", "i>e"},
    {"get_task_id_from_exception_info", "aclrtGetTaskIdFromExceptionInfo", "p>u"},
    {"get_stream_id_from_exception_info", "aclrtGetStreamIdFromExceptionInfo", "p>u"},
    {"get_thread_id_from_exception_info", "aclrtGetThreadIdFromExceptionInfo", "p>u"},
    {"get_device_id_from_exception_info", "aclrtGetDeviceIdFromExceptionInfo", "p>u"},
    {"get_error_code_from_exception_info", "aclrtGetErrorCodeFromExceptionInfo", "p>u"},
};

/* A Python function and its argument, owned until it has run. */
struct pending {
    PyObject *function;
    PyObject *data;
};

static void run_pending(void *pointer)
{
    struct pending *pending = pointer;
    int state = PyGILState_Ensure();
    PyObject *result = PyObject_CallFunction(pending->function, "(O)", pending->data);
    if (result) Py_DecRef(result);
    else PyErr_Print(); /* there is no Python frame to raise it in */
    Py_DecRef(pending->function);
    Py_DecRef(pending->data);
    PyGILState_Release(state);
    free(pending);
}

static int check_callable(PyObject *function, const char *name)
{
    if (PyCallable_Check(function)) return 1;
    PyErr_Format(PyExc_TypeError, "%s() takes a callable first", name);
    return 0;
}

/* launch_callback(function, user_data, block_type, stream) -> code */
static PyObject *launch_callback(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "launch_callback", 4, 4)) return NULL;
    int failed = 0;
    PyObject *function = PyTuple_GetItem(arguments, 0), *data = PyTuple_GetItem(arguments, 1);
    uint64_t block = argument(arguments, 2, &failed), stream = argument(arguments, 3, &failed);
    if (failed || !check_callable(function, "launch_callback")) return NULL;
    struct pending *pending = malloc(sizeof *pending);
    if (!pending) return PyErr_NoMemory();
    *pending = (struct pending){function, data};
    Py_IncRef(function);
    Py_IncRef(data);
    int (*launch)(void (*)(void *), void *, int, void *);
    *(void **)&launch = runtime_function("aclrtLaunchCallback");
    PyThreadState *state = PyEval_SaveThread();
    int code = launch(run_pending, pending, (int)block, (void *)(uintptr_t)stream);
    PyEval_RestoreThread(state);
    if (code) { /* it will not run */
        Py_DecRef(function);
        Py_DecRef(data);
        free(pending);
    }
    return PyLong_FromLongLong(code);
}

/* One for the process, as in the runtime. */
static PyObject *on_exception;

static void call_on_exception(void *info)
{
    int state = PyGILState_Ensure();
    if (on_exception) {
        PyObject *result = PyObject_CallFunction(on_exception, "(K)", (unsigned long long)(uintptr_t)info);
        if (result) Py_DecRef(result);
        else PyErr_Print();
    }
    PyGILState_Release(state);
}

/* set_exception_info_callback(function) -> code; None takes it away. */
static PyObject *set_exception_info_callback(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "set_exception_info_callback", 1, 1)) return NULL;
    PyObject *function = PyTuple_GetItem(arguments, 0);
    int is_none = function == PY_NONE;
    if (!is_none && !check_callable(function, "set_exception_info_callback")) return NULL;
    PyObject *old = on_exception;
    Py_IncRef(function);
    on_exception = is_none ? NULL : function;
    if (old) Py_DecRef(old);
    int (*set)(void (*)(void *));
    *(void **)&set = runtime_function("aclrtSetExceptionInfoCallback");
    return PyLong_FromLongLong(set(is_none ? NULL : call_on_exception));
}

static const struct method methods[] = {
    {"launch_callback", "aclrtLaunchCallback", launch_callback},
    {"set_exception_info_callback", "aclrtSetExceptionInfoCallback", set_exception_info_callback},
};

int add_callbacks(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
