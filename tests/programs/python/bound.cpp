/* A Python module whose functions are called as pybind11 calls them. It declares what it needs of CPython itself, as extension.c does. */
#include "acl/acl.h"
#include <stddef.h>

struct _object;
typedef _object *(*function)(_object *module, _object *argument);
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

extern "C" {
_object *PyModule_Create2(definition *definition, int version);
_object *PyLong_FromLong(long value);
long PyLong_AsLong(_object *value);
_object *PyInit_bound();
}

#define KEPT __attribute__((noinline))

struct Pool {
    void *block;
    KEPT long grow(long size) { return aclrtMalloc(&block, (size_t)size, ACL_MEM_MALLOC_HUGE_FIRST); }
    KEPT long drop(long) {
        long failed = aclrtFree(block);
        asm volatile(""); // no tail call
        return failed;
    }
};
static Pool pool;

namespace pybind11 {
namespace detail {
template <class Argument> struct argument_loader {
    Argument value;
    template <class Result, class Function> KEPT Result call_impl(Function &&called) && {
        Result result = (pool.*called)(value);
        asm volatile("");
        return result;
    }
};
} // namespace detail

struct cpp_function {
    template <long (Pool::*called)(long)> KEPT static _object *dispatcher(_object *, _object *argument) {
        long result = detail::argument_loader<long>{PyLong_AsLong(argument)}.call_impl<long>(called);
        return PyLong_FromLong(result);
    }
};
} // namespace pybind11

static method methods[] = {
    {"grow", pybind11::cpp_function::dispatcher<&Pool::grow>, ONE_ARGUMENT, nullptr},
    {"drop", pybind11::cpp_function::dispatcher<&Pool::drop>, ONE_ARGUMENT, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
static definition bound = {1, {}, "bound", nullptr, -1, methods, {}};

_object *PyInit_bound() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    return PyModule_Create2(&bound, API);
}
