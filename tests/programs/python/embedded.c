/* A program that opens an interpreter privately, long after its own first allocations: argument 1 is libpython. */
#include "acl/acl.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct object object;
struct method {
    const char *name;
    object *(*call)(object *self, object *argument);
    int flags;
    const char *doc;
};

static object *(*from_long)(long value);
static long (*as_long)(object *value);

static int get(size_t size) {
    void *block;
    return aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST);
}

static object *allocate(object *self, object *size) {
    return from_long(get((size_t)as_long(size)));
}

static void *find(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return found;
}

static void run(void *library, int round) {
    static struct method method = {"allocate", allocate, 8, NULL};
    void (*initialize)(int) = find(library, "Py_InitializeEx");
    int (*finalize)(void) = find(library, "Py_FinalizeEx");
    object *(*module)(const char *) = find(library, "PyImport_AddModule");
    object *(*callable)(struct method *, object *, object *) = find(library, "PyCFunction_NewEx");
    int (*set)(object *, const char *, object *) = find(library, "PyObject_SetAttrString");
    int (*script)(const char *, void *) = find(library, "PyRun_SimpleStringFlags");
    from_long = find(library, "PyLong_FromLong");
    as_long = find(library, "PyLong_AsLong");
    initialize(0);
    set(module("__main__"), "allocate", callable(&method, NULL, NULL));
    char text[200];
    snprintf(text, sizeof text, "def outer():\n    allocate(%d)\nouter()\n", 6002 + round);
    int failed = script(text, NULL);
    get((size_t)(6102 + round)); /* an interpreter, and no frame of it */
    printf("%d %d\n", failed, finalize());
}

int main(int count, char **arguments) {
    if (count < 2 || aclInit(NULL) || aclrtSetDevice(0)) {
        return 2;
    }
    get(6001);
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    run(library, 0);
    run(library, 1);
    get(6202);
    return 0;
}
