/* C structures as dictionaries: keys are the members' names. */
#ifndef ACLSIM_DICTIONARIES_H
#define ACLSIM_DICTIONARIES_H

#include "binding.h"

/* Whether `object` is one; sets TypeError if not. */
int is_dictionary(PyObject *object, const char *structure);
/* A borrowed member, or NULL with `*failed` and TypeError set. Looks at nothing if `*failed` is set already. */
PyObject *member(PyObject *dictionary, const char *key, int *failed);
uint64_t number_in(PyObject *dictionary, const char *key, int *failed);
/* Both take over the reference of `value`; 0, or -1 with an exception set. */
int put(PyObject *dictionary, const char *key, PyObject *value);
int append(PyObject *list, PyObject *value);
/* A list of dictionaries, each of them `size` bytes after `read`: allocated, also if it is empty. NULL with an exception set. */
void *structures_of(PyObject *list, size_t size, int (*read)(PyObject *dictionary, void *structure), size_t *count);

#endif
