/* `import acl`: pyACL over whichever shape of the simulator is loaded. Names, order of arguments and results follow the pyACL reference of
 * CANN 7.0 and 8.0 (hiascend.com, "pyACL API"). `acl.tdt`, `acl.blas` and `acl.prof` are absent. */
#include "binding.h"
#include <stdio.h>

#define API_VERSION 3 /* PYTHON_ABI_VERSION, what extensions of the stable ABI pass */

static PyModuleDef definitions[] = {
    {.references = 1, .m_name = "acl", .m_doc = "AscendCL on aclsan's simulator.", .m_size = -1},
    {.references = 1, .m_name = "acl.rt", .m_doc = "Devices, streams, events, memory.", .m_size = -1},
    {.references = 1, .m_name = "acl.mdl", .m_doc = "Offline models.", .m_size = -1},
    {.references = 1, .m_name = "acl.media", .m_doc = "DVPP: pictures and video.", .m_size = -1},
    {.references = 1, .m_name = "acl.op", .m_doc = "Single operators.", .m_size = -1},
    {.references = 1, .m_name = "acl.util", .m_doc = "Addresses of Python's objects.", .m_size = -1},
};

typedef int (*filler)(PyObject *module);
enum { FILLERS_MOST = 6 };

static PyObject *create(int which, const filler fillers[FILLERS_MOST])
{
    PyObject *module = PyModule_Create2(&definitions[which], API_VERSION);
    for (int i = 0; module && i < FILLERS_MOST && fillers[i]; i++)
        if (fillers[i](module)) return NULL;
    return module;
}

__attribute__((visibility("default"))) PyObject *PyInit_acl(void)
{
    static const struct {
        const char *name;
        filler fillers[FILLERS_MOST];
    } parts[] = {
        {"rt", {add_rt, add_callbacks, add_dictionaries, add_keys, add_kernels, add_repair}},
        {"mdl", {add_mdl, add_mdl_gears}},
        {"media", {add_media, add_pictures, add_video, add_encoder}},
        {"op", {add_op}},
        {"util", {add_util}},
    };
    if (!runtime_function("aclInit")) {
        PyObject *error = PyImport_ImportModule("builtins");
        error = error ? PyObject_GetAttrString(error, "ImportError") : PyExc_TypeError;
        PyErr_SetString(error, "acl: libascendcl.so is not in the library path; start Python with `aclsan run --simulate`");
        return NULL;
    }
    PyObject *acl = create(0, (const filler[FILLERS_MOST]){add_base, add_constants});
    for (int i = 0; acl && i < (int)(sizeof parts / sizeof *parts); i++) {
        PyObject *part = create(i + 1, parts[i].fillers);
        if (!part || PyModule_AddObject(acl, parts[i].name, part)) return NULL;
    }
    return acl;
}
