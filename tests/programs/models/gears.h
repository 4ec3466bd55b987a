/* A model with gears for batches of 1 and 4, or with dynamic AIPP: an input x, and one for the gear or the parameters. */
#ifndef PROGRAMS_GEARS_H
#define PROGRAMS_GEARS_H
#include "offline.h"

enum { BATCHES = 80, IMAGE = 4096, PARAMETERS = 160, ANSWER = 20 };

static const struct om_attr batch_case[] = {
    OM_INT("_batch_num", 2), OM_INTS("_pred_value_0", 1), OM_INTS("_pred_value_1", 4), OM_INT("mbatch_dynamic_type", 1), {.name = NULL}};
static const struct om_attr batch_open[] = {OM_INTS("_mbatch_origin_input_dims", -1, 5), {.name = NULL}};
static const struct om_attr batch_shapes[] = {OM_STRS("_dynamic_output_dims", "-1,0,1,5"), {.name = NULL}};
static const struct om_tensor_plan batch_inputs[] = {
    {.name = "x", .dtype = OM_DT_FLOAT, .layout = "ND", .rank = 2, .dims = {4, 5}, .size = BATCHES, .padded = 128, .attrs = batch_open},
    {.name = "ascend_mbatch_shape_data", .dtype = OM_DT_INT32, .layout = "ND", .rank = 1, .dims = {1}, .size = 4, .padded = 64, .index = 1},
};

static const struct om_attr parameters[] = {
    OM_INT("aipp_mode", 2), OM_INT("related_input_rank", 0), OM_INT("max_src_image_size", IMAGE), {.name = NULL}};
static const struct om_attr image_attrs[] = {
    {.name = "aipp", .kind = OM_NAMED, .nested = parameters}, OM_STR("_data_related_aipp_mode", "dynamic_aipp"),
    OM_STR("_data_aipp_data_name_map", "ascend_dynamic_aipp_data"),
    OM_STRS("_aipp_inputs", "NCHW:DT_FLOAT:x:6144:4:1,3,16,32"), OM_STRS("_aipp_outputs", "NHWC:DT_UINT8:x:4096:1:4096"),
    OM_INTS("_dynamic_aipp_input_dims", IMAGE), {.name = NULL}};
static const struct om_attr data_attrs[] = {
    {.name = "aipp", .kind = OM_NAMED, .nested = parameters}, OM_STR("_data_related_aipp_mode", "dynamic_aipp_conf"), {.name = NULL}};
static const struct om_tensor_plan image_inputs[] = {
    {.name = "x", .dtype = OM_DT_UINT8, .layout = "NHWC", .rank = 4, .dims = {1, 24, 32, 1}, .size = IMAGE, .padded = IMAGE + 32, .attrs = image_attrs},
    {.name = "ascend_dynamic_aipp_data", .type = "AippData", .dtype = OM_DT_UINT8, .layout = "ND", .rank = 1, .dims = {PARAMETERS}, .size = PARAMETERS, .padded = 192, .attrs = data_attrs, .index = 1},
};

static inline uint32_t loadGears(void) {
    struct om_plan plan = offlinePlan();
    uint32_t id;
    plan.input = batch_inputs, plan.inputs = 2, plan.gears = batch_case, plan.net_output = batch_shapes;
    struct bytes file = omWrite(&plan);
    MUST(aclmdlLoadFromMem(file.data, file.length, &id));
    free(file.data);
    return id;
}

static inline uint32_t loadAipp(void) {
    struct om_plan plan = offlinePlan();
    uint32_t id;
    plan.input = image_inputs, plan.inputs = 2;
    struct bytes file = omWrite(&plan);
    MUST(aclmdlLoadFromMem(file.data, file.length, &id));
    free(file.data);
    return id;
}

/* A dataset of the input x and of the one with the gear or the parameters. */
static inline aclmdlDataset *inputs(void *x, size_t size, void *extra, size_t extra_size) {
    aclmdlDataset *made = dataset(x, size);
    MUST(aclmdlAddDatasetBuffer(made, aclCreateDataBuffer(extra, extra_size)));
    return made;
}

static inline aclmdlAIPP *aipp(void) {
    aclmdlAIPP *set = aclmdlCreateAIPP(1);
    MUST(aclmdlSetAIPPInputFormat(set, ACL_YUV420SP_U8));
    MUST(aclmdlSetAIPPSrcImageSize(set, 64, 32));
    MUST(aclmdlSetAIPPPixelVarReci(set, 1, 1, 1, 1, 0));
    MUST(aclmdlSetAIPPCropParams(set, 1, 2, 2, 32, 16, 0));
    return set;
}
#endif
