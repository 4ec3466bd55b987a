/* Python functions described by rows: a name, the C function that it calls, and how arguments and results are converted. */
#ifndef ACLSIM_BINDING_H
#define ACLSIM_BINDING_H

#include "cpython.h"

/* A signature is the parameters of the C function in order, then `>` and its result.
 *
 *   i l   signed integer of 32, 64 bits          p  pointer, as an integer; None is NULL
 *   u z   unsigned integer of 32, 64 bits        s  string; `S` takes None and may be left out at the end
 *   f     float                                  D  sequence of integers: `int` count, `int64_t` array
 *   N     sequence of pointers: `int` count, array
 *   n     sequence of pointers: array alone
 *   &x    the function writes a value of kind x; it becomes a result
 *
 * Results: `e` error code, `v` none, and i l u z p s as above. Python gets the written values and then the result, as a tuple if there is
 * more than one. This is the order of the pyACL reference. Codes are returned, never raised; a wrong type raises TypeError. */
struct row {
    const char *name;
    const char *function;
    const char *signature;
};

/* The same, for functions whose conversions are their own. */
struct method {
    const char *name;
    const char *function; /* what must exist for it to be there; NULL: nothing */
    PyCFunction call;
};

/* The address of a function of the runtime as the program would be linked to it, or NULL where this shape of the runtime lacks it. */
void *runtime_function(const char *name);

/* Each gives 0, or -1 with an exception set. A row whose function is missing in this shape is left out, as in the pyACL of that version. */
int add_rows(PyObject *module, const struct row *rows, size_t count);
int add_methods(PyObject *module, const struct method *methods, size_t count);
#define ADD_ROWS(module, rows) add_rows(module, rows, sizeof(rows) / sizeof(rows)[0])
#define ADD_METHODS(module, methods) add_methods(module, methods, sizeof(methods) / sizeof(methods)[0])

/* An integer of a Python object; `*failed` is set, with TypeError, if it is none. None is 0 where `none_is_zero`. */
uint64_t integer_of(PyObject *object, int none_is_zero, int *failed);
/* A real number of a Python object; `*failed` is set, with TypeError, if it is none. Text is none. */
float real_of(PyObject *object, int *failed);
/* An integer at position `index` of a tuple of arguments. */
uint64_t argument(PyObject *arguments, Py_ssize_t index, int *failed);
/* Whether a function got that many arguments; sets TypeError if not. */
int has_arguments(PyObject *arguments, const char *name, Py_ssize_t least, Py_ssize_t most);
/* `(value, code)`; takes the reference. NULL if `value` is. */
PyObject *with_code(PyObject *value, int code);

int add_base(PyObject *module);
int add_rt(PyObject *module);
int add_callbacks(PyObject *module);
int add_dictionaries(PyObject *module);
int add_keys(PyObject *module);
int add_kernels(PyObject *module);
int add_repair(PyObject *module);
int add_mdl(PyObject *module);
int add_mdl_gears(PyObject *module);
int add_media(PyObject *module);
int add_pictures(PyObject *module);
int add_video(PyObject *module);
int add_encoder(PyObject *module);
int add_op(PyObject *module);
int add_util(PyObject *module);
int add_constants(PyObject *module);

#endif
