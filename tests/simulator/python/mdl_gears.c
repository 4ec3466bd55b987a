/* `acl.mdl`: shapes, and the gears of models whose batch, resolution or dimensions vary. Shapes are dictionaries in Python. */
#include "binding.h"
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 128, DIMS_MOST = 128, GEARS_MOST = 128 };

/* aclmdlIODims, aclmdlBatch, aclmdlHW. */
struct dims {
    char name[NAME_BYTES];
    size_t count;
    int64_t dims[DIMS_MOST];
};
struct batch {
    size_t count;
    uint64_t batch[GEARS_MOST];
};
struct sizes {
    size_t count;
    uint64_t sizes[GEARS_MOST][2];
};

static const struct row rows[] = {
    {"set_dynamic_batch_size", "aclmdlSetDynamicBatchSize", "upzz>e"},
    {"set_dynamic_hw_size", "aclmdlSetDynamicHWSize", "upzzz>e"},
    {"get_input_dynamic_gear_count", "aclmdlGetInputDynamicGearCount", "pz&z>e"},
    {"create_aipp", "aclmdlCreateAIPP", "z>p"},
    {"destroy_aipp", "aclmdlDestroyAIPP", "p>e"},
    {"set_aipp_input_format", "aclmdlSetAIPPInputFormat", "pi>e"},
    {"set_aipp_csc_params", "aclmdlSetAIPPCscParams", "piiiiiiiiiiiiiiii>e"},
    {"set_aipp_rbuv_swap_switch", "aclmdlSetAIPPRbuvSwapSwitch", "pi>e"},
    {"set_aipp_ax_swap_switch", "aclmdlSetAIPPAxSwapSwitch", "pi>e"},
    {"set_aipp_src_image_size", "aclmdlSetAIPPSrcImageSize", "pii>e"},
    {"set_aipp_crop_params", "aclmdlSetAIPPCropParams", "piiiiiz>e"},
    {"set_aipp_padding_params", "aclmdlSetAIPPPaddingParams", "piiiiiz>e"},
    {"set_aipp_scf_params", "aclmdlSetAIPPScfParams", "piiiiiz>e"},
    {"set_aipp_dtc_pixel_mean", "aclmdlSetAIPPDtcPixelMean", "piiiiz>e"},
    {"get_aipp_data_size", "aclmdlGetAippDataSize", "z&z>e"},
    {"get_aipp_type", "aclmdlGetAippType", "uz&i&z>e"},
    {"set_aipp_by_input_index", "aclmdlSetAIPPByInputIndex", "upzp>e"},
    {"set_input_aipp", "aclmdlSetInputAIPP", "upzp>e"},
};

/* Takes both references. */
static int put(PyObject *dictionary, const char *key, PyObject *value)
{
    int failed = !value || PyDict_SetItemString(dictionary, key, value);
    if (value) Py_DecRef(value);
    return failed;
}

static PyObject *list_of(const int64_t *values, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *value = PyLong_FromLongLong(values[i]);
        if (value) PyList_Append(list, value);
        if (value) Py_DecRef(value);
    }
    return list;
}

static PyObject *dims_of(const struct dims *dims)
{
    PyObject *dictionary = PyDict_New();
    size_t count = dims->count < DIMS_MOST ? dims->count : DIMS_MOST;
    if (!dictionary) return NULL;
    if (put(dictionary, "name", PyUnicode_DecodeUTF8(dims->name, (Py_ssize_t)strnlen(dims->name, NAME_BYTES), "replace"))
        || put(dictionary, "dimCount", PyLong_FromUnsignedLongLong(count))
        || put(dictionary, "dims", list_of(dims->dims, count))) {
        Py_DecRef(dictionary);
        return NULL;
    }
    return dictionary;
}

/* A function of (description, index, dims). */
static PyObject *query_dims(PyObject *arguments, const char *name, const char *function)
{
    if (!has_arguments(arguments, name, 2, 2)) return NULL;
    int failed = 0;
    uint64_t desc = argument(arguments, 0, &failed), index = argument(arguments, 1, &failed);
    if (failed) return NULL;
    struct dims dims;
    memset(&dims, 0, sizeof dims);
    int (*query)(void *, size_t, struct dims *);
    *(void **)&query = runtime_function(function);
    int code = query((void *)(uintptr_t)desc, (size_t)index, &dims);
    return with_code(dims_of(&dims), code);
}

#define QUERY_DIMS(name, function) \
    static PyObject *name(PyObject *self, PyObject *arguments) \
    { \
        (void)self; \
        return query_dims(arguments, #name, function); \
    }
QUERY_DIMS(get_input_dims, "aclmdlGetInputDims")
QUERY_DIMS(get_input_dims_v2, "aclmdlGetInputDimsV2")
QUERY_DIMS(get_output_dims, "aclmdlGetOutputDims")
QUERY_DIMS(get_cur_output_dims, "aclmdlGetCurOutputDims")

/* get_dynamic_batch(description) -> ({"batchCount", "batch"}, code) */
static PyObject *get_dynamic_batch(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "get_dynamic_batch", 1, 1)) return NULL;
    int failed = 0;
    uint64_t desc = argument(arguments, 0, &failed);
    PyObject *dictionary = failed ? NULL : PyDict_New();
    if (!dictionary) return NULL;
    struct batch batch;
    memset(&batch, 0, sizeof batch);
    int (*query)(void *, struct batch *);
    *(void **)&query = runtime_function("aclmdlGetDynamicBatch");
    int code = query((void *)(uintptr_t)desc, &batch);
    size_t count = batch.count < GEARS_MOST ? batch.count : GEARS_MOST;
    if (put(dictionary, "batchCount", PyLong_FromUnsignedLongLong(count))
        || put(dictionary, "batch", list_of((int64_t *)batch.batch, count)))
        return NULL;
    return with_code(dictionary, code);
}

/* get_dynamic_hw(description, index) -> ({"hwCount", "hw"}, code) */
static PyObject *get_dynamic_hw(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "get_dynamic_hw", 2, 2)) return NULL;
    int failed = 0;
    uint64_t desc = argument(arguments, 0, &failed), index = argument(arguments, 1, &failed);
    PyObject *dictionary = failed ? NULL : PyDict_New();
    PyObject *list = dictionary ? PyList_New(0) : NULL;
    if (!list) return NULL;
    struct sizes sizes;
    memset(&sizes, 0, sizeof sizes);
    int (*query)(void *, size_t, struct sizes *);
    *(void **)&query = runtime_function("aclmdlGetDynamicHW");
    int code = query((void *)(uintptr_t)desc, (size_t)index, &sizes);
    size_t count = sizes.count < GEARS_MOST ? sizes.count : GEARS_MOST;
    for (size_t i = 0; i < count; i++) {
        PyObject *pair = list_of((int64_t *)sizes.sizes[i], 2);
        if (!pair || PyList_Append(list, pair)) return NULL;
        Py_DecRef(pair);
    }
    if (put(dictionary, "hwCount", PyLong_FromUnsignedLongLong(count)) || put(dictionary, "hw", list)) return NULL;
    return with_code(dictionary, code);
}

/* get_input_dynamic_dims(description, index, gear_count) -> ([dims, …], code) */
static PyObject *get_input_dynamic_dims(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "get_input_dynamic_dims", 3, 3)) return NULL;
    int failed = 0;
    uint64_t desc = argument(arguments, 0, &failed), index = argument(arguments, 1, &failed);
    uint64_t gears = argument(arguments, 2, &failed);
    PyObject *list = failed ? NULL : PyList_New(0);
    if (!list) return NULL;
    gears = gears < GEARS_MOST ? gears : GEARS_MOST;
    struct dims *dims = calloc((size_t)gears + 1, sizeof *dims);
    if (!dims) return PyErr_NoMemory();
    int (*query)(void *, size_t, struct dims *, size_t);
    *(void **)&query = runtime_function("aclmdlGetInputDynamicDims");
    int code = query((void *)(uintptr_t)desc, (size_t)index, dims, (size_t)gears);
    for (size_t i = 0; i < gears && code == 0; i++) {
        PyObject *item = dims_of(&dims[i]);
        if (item) PyList_Append(list, item);
        if (item) Py_DecRef(item);
    }
    free(dims);
    return with_code(list, code);
}

/* set_input_dynamic_dims(model, dataset, index, dims) -> code */
static PyObject *set_input_dynamic_dims(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "set_input_dynamic_dims", 4, 4)) return NULL;
    int failed = 0;
    uint64_t model = argument(arguments, 0, &failed), dataset = argument(arguments, 1, &failed);
    uint64_t index = argument(arguments, 2, &failed);
    PyObject *list = failed ? NULL : PyDict_GetItemString(PyTuple_GetItem(arguments, 3), "dims");
    Py_ssize_t count = list ? PySequence_Size(list) : -1;
    if (count < 0 || count > DIMS_MOST) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "set_input_dynamic_dims() takes a dictionary with a list `dims` of at most 128 numbers");
        return NULL;
    }
    struct dims dims;
    memset(&dims, 0, sizeof dims);
    dims.count = (size_t)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        if (item) dims.dims[i] = (int64_t)integer_of(item, 0, &failed);
        if (item) Py_DecRef(item);
        if (!item || failed) return NULL;
    }
    int (*set)(uint32_t, void *, size_t, const struct dims *);
    *(void **)&set = runtime_function("aclmdlSetInputDynamicDims");
    return PyLong_FromLongLong(set((uint32_t)model, (void *)(uintptr_t)dataset, (size_t)index, &dims));
}

/* Functions of (parameters, one number for each of four channels, index of the image) -> code. A row's function takes one float only. */
static PyObject *of_channels(PyObject *arguments, const char *name, const char *function)
{
    if (!has_arguments(arguments, name, 6, 6)) return NULL;
    int failed = 0;
    uint64_t parameters = argument(arguments, 0, &failed), image = argument(arguments, 5, &failed);
    float channels[4];
    for (int i = 0; i < 4 && !failed; i++) channels[i] = real_of(PyTuple_GetItem(arguments, i + 1), &failed);
    if (failed) return NULL;
    int (*set)(void *, float, float, float, float, uint64_t);
    *(void **)&set = runtime_function(function);
    return PyLong_FromLongLong(set((void *)(uintptr_t)parameters, channels[0], channels[1], channels[2], channels[3], image));
}

static PyObject *set_aipp_dtc_pixel_min(PyObject *self, PyObject *arguments)
{
    (void)self;
    return of_channels(arguments, "set_aipp_dtc_pixel_min", "aclmdlSetAIPPDtcPixelMin");
}

static PyObject *set_aipp_pixel_var_reci(PyObject *self, PyObject *arguments)
{
    (void)self;
    return of_channels(arguments, "set_aipp_pixel_var_reci", "aclmdlSetAIPPPixelVarReci");
}

static const struct method methods[] = {
    {"get_input_dims", "aclmdlGetInputDims", get_input_dims},
    {"get_input_dims_v2", "aclmdlGetInputDimsV2", get_input_dims_v2},
    {"get_output_dims", "aclmdlGetOutputDims", get_output_dims},
    {"get_cur_output_dims", "aclmdlGetCurOutputDims", get_cur_output_dims},
    {"get_dynamic_batch", "aclmdlGetDynamicBatch", get_dynamic_batch},
    {"get_dynamic_hw", "aclmdlGetDynamicHW", get_dynamic_hw},
    {"get_input_dynamic_dims", "aclmdlGetInputDynamicDims", get_input_dynamic_dims},
    {"set_input_dynamic_dims", "aclmdlSetInputDynamicDims", set_input_dynamic_dims},
    {"set_aipp_dtc_pixel_min", "aclmdlSetAIPPDtcPixelMin", set_aipp_dtc_pixel_min},
    {"set_aipp_pixel_var_reci", "aclmdlSetAIPPPixelVarReci", set_aipp_pixel_var_reci},
};

int add_mdl_gears(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
