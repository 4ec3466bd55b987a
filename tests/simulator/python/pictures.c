/* `acl.media`: histograms, maps of colors and borders of pictures. The simulator models none: the C functions answer 207000, NULL or 0. */
#include "binding.h"

#define SIDE(name, function) \
    {"dvpp_set_border_config_" name, "acldvppSetBorderConfig" function, "pu>e"}, \
        {"dvpp_get_border_config_" name, "acldvppGetBorderConfig" function, "p>u"}

static const struct row rows[] = {
    {"dvpp_create_hist", "acldvppCreateHist", ">p"},
    {"dvpp_destroy_hist", "acldvppDestroyHist", "p>e"},
    {"dvpp_clear_hist", "acldvppClearHist", "p>e"},
    {"dvpp_get_hist_dims", "acldvppGetHistDims", "p>u"},
    {"dvpp_get_hist_data", "acldvppGetHistData", "pu&p&u>e"},
    {"dvpp_get_hist_ret_code", "acldvppGetHistRetCode", "p>u"},
    {"dvpp_vpc_calc_hist_async", "acldvppVpcCalcHistAsync", "ppppp>e"},

    {"dvpp_create_lut_map", "acldvppCreateLutMap", ">p"},
    {"dvpp_destroy_lut_map", "acldvppDestroyLutMap", "p>e"},
    {"dvpp_get_lut_map_dims", "acldvppGetLutMapDims", "p>u"},
    {"dvpp_get_lut_map_data", "acldvppGetLutMapData", "pu&p&u>e"},
    {"dvpp_vpc_equalize_hist_async", "acldvppVpcEqualizeHistAsync", "ppppp>e"},

    {"dvpp_create_border_config", "acldvppCreateBorderConfig", ">p"},
    {"dvpp_destroy_border_config", "acldvppDestroyBorderConfig", "p>e"},
    {"dvpp_set_border_config_border_type", "acldvppSetBorderConfigBorderType", "pi>e"},
    {"dvpp_get_border_config_border_type", "acldvppGetBorderConfigBorderType", "p>i"},
    SIDE("top", "Top"),
    SIDE("bottom", "Bottom"),
    SIDE("left", "Left"),
    SIDE("right", "Right"),
    {"dvpp_vpc_make_border_async", "acldvppVpcMakeBorderAsync", "ppppp>e"},
};

/* dvpp_set_border_config_value(configuration, index, value) -> code */
static PyObject *set_value(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "dvpp_set_border_config_value", 3, 3)) return NULL;
    int failed = 0;
    uint64_t config = argument(arguments, 0, &failed);
    uint64_t index = failed ? 0 : argument(arguments, 1, &failed);
    double value = failed ? 0 : real_of(PyTuple_GetItem(arguments, 2), &failed);
    if (failed) return NULL;
    int (*set)(void *, uint32_t, double);
    *(void **)&set = runtime_function("acldvppSetBorderConfigValue");
    return PyLong_FromLongLong(set((void *)(uintptr_t)config, (uint32_t)index, value));
}

/* dvpp_get_border_config_value(configuration, index) -> value */
static PyObject *get_value(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "dvpp_get_border_config_value", 2, 2)) return NULL;
    int failed = 0;
    uint64_t config = argument(arguments, 0, &failed);
    uint64_t index = failed ? 0 : argument(arguments, 1, &failed);
    if (failed) return NULL;
    double (*get)(const void *, uint32_t);
    *(void **)&get = runtime_function("acldvppGetBorderConfigValue");
    return PyFloat_FromDouble(get((const void *)(uintptr_t)config, (uint32_t)index));
}

static const struct method methods[] = {
    {"dvpp_set_border_config_value", "acldvppSetBorderConfigValue", set_value},
    {"dvpp_get_border_config_value", "acldvppGetBorderConfigValue", get_value},
};

int add_pictures(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
