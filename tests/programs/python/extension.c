/* A Python module in C. It declares what it needs of CPython's stable ABI itself, so that one source builds without Python's headers. */
#include "acl/acl.h"
#include <pthread.h>
#include <stddef.h>

typedef struct object object;
typedef object *(*function)(object *module, object *argument);
struct method {
    const char *name;
    function call;
    int flags;
    const char *doc;
};
struct definition {
    size_t references;
    void *head[4];
    const char *name;
    const char *doc;
    ptrdiff_t size;
    struct method *methods;
    void *slots[4];
};
enum { ONE_ARGUMENT = 8, API = 1013 };

object *PyModule_Create2(struct definition *definition, int version);
object *PyLong_FromLong(long value);
long PyLong_AsLong(object *value);
object *PyObject_CallObject(object *called, object *arguments);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *state);
int PyGILState_Ensure(void);
void PyGILState_Release(int state);
void Py_DecRef(object *value);

static int get(long size) {
    void *block;
    return aclrtMalloc(&block, (size_t)size, ACL_MEM_MALLOC_HUGE_FIRST);
}

/* Allocates with the GIL. */
static object *attached(object *module, object *size) {
    return PyLong_FromLong(get(PyLong_AsLong(size)));
}

/* Allocates without the GIL. */
static object *detached(object *module, object *size) {
    long bytes = PyLong_AsLong(size);
    void *state = PyEval_SaveThread();
    int failed = get(bytes);
    PyEval_RestoreThread(state);
    return PyLong_FromLong(failed);
}

/* Calls back. */
static object *relay(object *module, object *called) {
    object *result = PyObject_CallObject(called, NULL);
    return result;
}

static void *nothing_of_python(void *size) {
    aclrtSetDevice(0);
    get(*(long *)size);
    return NULL;
}

static void *for_a_while(void *called) {
    aclrtSetDevice(0);
    int state = PyGILState_Ensure();
    Py_DecRef(PyObject_CallObject(called, NULL));
    PyGILState_Release(state);
    return NULL;
}

static object *in_thread(void *(*body)(void *), void *argument) {
    void *state = PyEval_SaveThread();
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, body, argument) || pthread_join(thread, NULL);
    PyEval_RestoreThread(state);
    return PyLong_FromLong(failed);
}

/* Allocates in a thread that Python knows nothing of. */
static object *elsewhere(object *module, object *size) {
    long bytes = PyLong_AsLong(size);
    return in_thread(nothing_of_python, &bytes);
}

/* Calls back from a thread that is Python's only meanwhile. */
static object *visit(object *module, object *called) {
    return in_thread(for_a_while, called);
}

static struct method methods[] = {
    {"attached", attached, ONE_ARGUMENT, NULL},   {"detached", detached, ONE_ARGUMENT, NULL},
    {"relay", relay, ONE_ARGUMENT, NULL},         {"elsewhere", elsewhere, ONE_ARGUMENT, NULL},
    {"visit", visit, ONE_ARGUMENT, NULL},         {NULL, NULL, 0, NULL},
};
static struct definition definition = {.references = 1, .name = "extension", .size = -1, .methods = methods};

object *PyInit_extension(void) {
    aclInit(NULL);
    aclrtSetDevice(0);
    return PyModule_Create2(&definition, API);
}
