/* What the module uses of CPython's stable ABI, declared here so that building it needs no development headers.
 * Everything below has been in the limited API since 3.2 or the release named; one binary serves CPython 3.8 to 3.14.
 * Source: https://docs.python.org/3/c-api/stable.html */
#ifndef ACLSIM_CPYTHON_H
#define ACLSIM_CPYTHON_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct _object PyObject;
typedef struct _thread PyThreadState;
typedef ssize_t Py_ssize_t;
typedef PyObject *(*PyCFunction)(PyObject *self, PyObject *arguments);

#define METH_VARARGS 0x0001
#define PYBUF_WRITE 0x200

/* Both are passed by address and never taken apart. */
typedef struct {
    const char *ml_name;
    PyCFunction ml_meth;
    int ml_flags;
    const char *ml_doc;
} PyMethodDef;

/* The head of a module definition is an object: reference count and type, then what CPython fills in. */
typedef struct {
    Py_ssize_t references;
    void *type;
    void *init;
    Py_ssize_t index;
    PyObject *copy;
    const char *m_name;
    const char *m_doc;
    Py_ssize_t m_size;
    PyMethodDef *m_methods;
    void *m_slots, *m_traverse, *m_clear, *m_free;
} PyModuleDef;

PyObject *PyModule_Create2(PyModuleDef *definition, int api_version);
int PyModule_AddObject(PyObject *module, const char *name, PyObject *value); /* takes the reference on success */
int PyModule_AddIntConstant(PyObject *module, const char *name, long value);
PyObject *PyImport_ImportModule(const char *name);

void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);
extern PyObject _Py_NoneStruct;
#define PY_NONE (&_Py_NoneStruct)

PyObject *PyCFunction_NewEx(PyMethodDef *definition, PyObject *self, PyObject *module);
PyObject *PyCapsule_New(void *pointer, const char *name, void (*destroy)(PyObject *));
void *PyCapsule_GetPointer(PyObject *capsule, const char *name);
int PyCallable_Check(PyObject *object);
PyObject *PyObject_CallFunction(PyObject *callable, const char *format, ...);
PyObject *PyObject_CallMethod(PyObject *object, const char *name, const char *format, ...);
PyObject *PyObject_CallObject(PyObject *callable, PyObject *arguments);
PyObject *PyObject_GetAttrString(PyObject *object, const char *name);
int PyObject_IsInstance(PyObject *object, PyObject *type);
PyObject *PyObject_GetItem(PyObject *object, PyObject *key);

extern PyObject *PyExc_TypeError, *PyExc_RuntimeError;
void PyErr_SetString(PyObject *type, const char *message);
PyObject *PyErr_Format(PyObject *type, const char *format, ...);
PyObject *PyErr_Occurred(void);
void PyErr_Clear(void);
void PyErr_Print(void);
PyObject *PyErr_NoMemory(void);

PyObject *PyNumber_Index(PyObject *object);
PyObject *PyNumber_Float(PyObject *object);
int PyNumber_Check(PyObject *object);
double PyFloat_AsDouble(PyObject *object);
PyObject *PyFloat_FromDouble(double value);
PyObject *PyLong_FromLongLong(long long value);
PyObject *PyLong_FromUnsignedLongLong(unsigned long long value);
unsigned long long PyLong_AsUnsignedLongLongMask(PyObject *object);

Py_ssize_t PySequence_Size(PyObject *object);
PyObject *PySequence_GetItem(PyObject *object, Py_ssize_t index);
PyObject *PySequence_Tuple(PyObject *object);
Py_ssize_t PyTuple_Size(PyObject *tuple);
PyObject *PyTuple_GetItem(PyObject *tuple, Py_ssize_t index); /* borrowed */
PyObject *PyTuple_New(Py_ssize_t size);
int PyTuple_SetItem(PyObject *tuple, Py_ssize_t index, PyObject *item); /* takes the reference */
PyObject *PyList_New(Py_ssize_t size);
int PyList_Append(PyObject *list, PyObject *item);
extern PyObject PyDict_Type;
PyObject *PyDict_New(void);
Py_ssize_t PyDict_Size(PyObject *dictionary);
int PyDict_SetItemString(PyObject *dictionary, const char *key, PyObject *value);
PyObject *PyDict_GetItemString(PyObject *dictionary, const char *key); /* borrowed */

char *PyBytes_AsString(PyObject *bytes);
int PyBytes_AsStringAndSize(PyObject *bytes, char **text, Py_ssize_t *size);
PyObject *PyBytes_FromStringAndSize(const char *text, Py_ssize_t size);
PyObject *PyUnicode_AsUTF8String(PyObject *text);
PyObject *PyUnicode_DecodeUTF8(const char *text, Py_ssize_t size, const char *errors);
PyObject *PyMemoryView_FromMemory(char *memory, Py_ssize_t size, int flags);

PyThreadState *PyEval_SaveThread(void);
void PyEval_RestoreThread(PyThreadState *state);
int PyGILState_Ensure(void);
void PyGILState_Release(int state);

#endif
