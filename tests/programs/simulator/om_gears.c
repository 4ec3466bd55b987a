//@ run
/* Gears: models that were compiled for several batches, image sizes or dims. Facts: om_format 9. */
#include "om_plans.h"

static const struct om_attr batch_case[] = {
    OM_INT("_batch_num", 3), OM_INTS("_pred_value_0", 1), OM_INTS("_pred_value_1", 2), OM_INTS("_pred_value_2", 4),
    OM_INT("mbatch_dynamic_type", 1), {.name = NULL},
};
/* Without the type: two numbers are an image size. */
static const struct om_attr image_case[] = {
    OM_INT("_batch_num", 2), OM_INTS("_pred_value_0", 8, 8), OM_INTS("_pred_value_1", 8, 16), {.name = NULL},
};
static const struct om_attr dims_case[] = {
    OM_INT("_batch_num", 2), OM_INTS("_pred_value_0", 2, 3), OM_INTS("_pred_value_1", 4, 6),
    OM_INT("mbatch_dynamic_type", 3), OM_STRS("user_designate_shape_order", "x", "z"), {.name = NULL},
};
static const struct om_attr batch_open[] = {OM_INTS("_mbatch_origin_input_dims", -1, 5), {.name = NULL}};
static const struct om_attr image_open[] = {OM_INTS("_mbatch_origin_input_dims", 1, -1, -1), {.name = NULL}};
static const struct om_attr dims_open_x[] = {OM_INTS("_mbatch_origin_input_dims", -1, 5), {.name = NULL}};
static const struct om_attr dims_open_z[] = {OM_INTS("_mbatch_origin_input_dims", 1, -1), {.name = NULL}};
static const struct om_attr batch_shapes[] = {OM_STRS("_dynamic_output_dims", "0,0,1,5", "1,0,2,5", "2,0,4,5"), {.name = NULL}};
static const struct om_attr image_shapes[] = {OM_STRS("_dynamic_output_dims", "-1,0,1,5"), {.name = NULL}};
static const struct om_attr dims_shapes[] = {OM_STRS("_dynamic_output_dims", "0,0,2,3", "1,0,4,6"), {.name = NULL}};

static const struct om_tensor_plan batch_input[] = {
    {.name = "x", .dtype = OM_DT_FLOAT, .layout = "ND", .rank = 2, .dims = {4, 5}, .size = 80, .padded = 128, .attrs = batch_open},
    {.name = "ascend_mbatch_shape_data", .dtype = OM_DT_INT32, .layout = "ND", .rank = 1, .dims = {1}, .size = 4, .padded = 64, .index = 1},
};
static const struct om_tensor_plan image_input[] = {
    {.name = "x", .dtype = OM_DT_UINT8, .layout = "ND", .rank = 3, .dims = {1, 8, 16}, .size = 128, .padded = 160, .attrs = image_open},
    {.name = "ascend_mbatch_shape_data", .dtype = OM_DT_INT32, .layout = "ND", .rank = 1, .dims = {2}, .size = 8, .padded = 64, .index = 1},
};
static const struct om_tensor_plan dims_input[] = {
    {.name = "x", .dtype = OM_DT_FLOAT, .layout = "ND", .rank = 2, .dims = {4, 5}, .size = 80, .padded = 128, .attrs = dims_open_x},
    {.name = "z", .dtype = OM_DT_FLOAT, .layout = "ND", .rank = 2, .dims = {1, 6}, .size = 24, .padded = 64, .attrs = dims_open_z, .index = 1},
    {.name = "ascend_mbatch_shape_data", .dtype = OM_DT_INT32, .layout = "ND", .rank = 1, .dims = {2}, .size = 8, .padded = 64, .index = 2},
};
static const struct om_tensor_plan largest[] = {
    {.name = "last", .dtype = OM_DT_FLOAT, .layout = "ND", .rank = 2, .dims = {4, 6}, .padded = 128},
};

struct prepared {
    uint32_t id;
    aclmdlDesc *desc;
    aclmdlDataset *input, *output;
    char *x, *numbers, *out;
    size_t shape_index;
};

static struct prepared prepare(const struct om_tensor_plan *input, size_t inputs, const struct om_attr *gears,
                               const struct om_attr *shapes)
{
    struct prepared made = {.shape_index = inputs - 1};
    struct om_plan plan = plainPlan('D');
    plan.input = input, plan.inputs = inputs, plan.output = largest;
    plan.gears = gears, plan.net_output = shapes, plan.is_coded = true;
    struct bytes file = omWrite(&plan);
    OK(aclmdlLoadFromMem(file.data, file.length, &made.id));
    free(file.data);
    made.desc = aclmdlCreateDesc();
    OK(aclmdlGetDesc(made.desc, made.id));
    made.x = deviceBlock(4096);
    made.numbers = deviceBlock(64);
    made.out = deviceBlock(4096);
    made.input = datasetOf(made.x, 128);
    for (size_t i = 1; i + 1 < inputs; i++) {
        OK(aclmdlAddDatasetBuffer(made.input, aclCreateDataBuffer(made.x + 1024, 64)));
    }
    OK(aclmdlAddDatasetBuffer(made.input, aclCreateDataBuffer(made.numbers, 4 * (inputs > 2 ? 2 : (size_t)input[1].dims[0]))));
    made.output = datasetOf(made.out, 128);
    OK(aclrtMemset(made.x, 4096, 0, 4096));
    return made;
}

static void finish(struct prepared *gone)
{
    forget(gone->input);
    forget(gone->output);
    OK(aclrtFree(gone->x));
    OK(aclrtFree(gone->numbers));
    OK(aclrtFree(gone->out));
    OK(aclmdlDestroyDesc(gone->desc));
    OK(aclmdlUnload(gone->id));
}

/* Bytes that an execution writes: those that are no longer 0xee. */
static size_t written(struct prepared *with)
{
    static unsigned char bytes[4096];
    OK(aclrtMemset(with->out, sizeof bytes, 0xee, sizeof bytes));
    OK(aclmdlExecute(with->id, with->input, with->output));
    OK(aclsimRead(with->out, bytes, sizeof bytes));
    size_t end = sizeof bytes;
    while (end > 0 && bytes[end - 1] == 0xee) {
        end--;
    }
    return (end + 3) / 4 * 4; /* a float may end in any byte */
}

static void batches(void)
{
    aclmdlBatch batch;
    aclmdlHW hw;
    aclmdlIODims dims;
    size_t index, count = 9;
    uint32_t number;
    struct prepared with = prepare(batch_input, 2, batch_case, batch_shapes);
    OK(aclmdlGetDynamicBatch(with.desc, &batch));
    EXPECT("9", batch.batchCount == 3 && batch.batch[0] == 1 && batch.batch[2] == 4);
    OK(aclmdlGetDynamicHW(with.desc, 0, &hw));
    OK(aclmdlGetInputDynamicGearCount(with.desc, (size_t)-1, &count));
    EXPECT("9: one kind alone", hw.hwCount == 0 && count == 0);
    EXPECT_CODE("9", ACL_ERROR_INVALID_PARAM, aclmdlGetInputDynamicGearCount(with.desc, 0, &count));
    OK(aclmdlGetInputDims(with.desc, 0, &dims));
    EXPECT("6: -1 where a gear decides", dims.dims[0] == -1 && dims.dims[1] == 5);
    EXPECT("9: the largest gear's", aclmdlGetInputSizeByIndex(with.desc, 0) == 80);
    OK(aclmdlGetInputIndexByName(with.desc, ACL_DYNAMIC_TENSOR_NAME, &index));
    EXPECT("9: the last input", index == 1);
    EXPECT_CODE("9: no such gear", ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID,
                aclmdlSetDynamicBatchSize(with.id, with.input, index, 3));
    EXPECT_CODE("set", ACL_ERROR_INVALID_PARAM, aclmdlSetDynamicBatchSize(with.id, with.input, index, 0));
    EXPECT_CODE("set", ACL_ERROR_INVALID_PARAM, aclmdlSetDynamicBatchSize(with.id, with.input, 7, 2));
    OK(aclmdlGetCurOutputDims(with.desc, 0, &dims));
    EXPECT("9: nothing set yet", dims.dims[0] == 4);
    OK(aclmdlSetDynamicBatchSize(with.id, with.input, index, 2));
    OK(aclsimRead(with.numbers, &number, 4));
    EXPECT("9: a 32-bit number", number == 2);
    OK(aclmdlGetCurOutputDims(with.desc, 0, &dims));
    EXPECT("9: the gear's shape", dims.dimCount == 2 && dims.dims[0] == 2);
    EXPECT("9: the gear's bytes", written(&with) == 40);
    OK(aclmdlSetDynamicBatchSize(with.id, with.input, index, 4));
    EXPECT("9: the gear's bytes", written(&with) == 80);
    aclmdlDataset *other = datasetOf(with.numbers, 3);
    EXPECT_CODE("9: room for no number", ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID,
                aclmdlSetDynamicBatchSize(with.id, other, 0, 2));
    forget(other);
    other = datasetOf(NULL, 8);
    EXPECT_CODE("9: no address", ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID,
                aclmdlSetDynamicBatchSize(with.id, other, 0, 2));
    forget(other);
    other = datasetOf(with.numbers, 8);
    uint64_t wide = 0;
    OK(aclmdlSetDynamicBatchSize(with.id, other, 0, 1));
    OK(aclsimRead(with.numbers, &wide, 8));
    EXPECT("9: 64 bits where there is room", wide == 1);
    forget(other);
    finish(&with);
}

static void images(void)
{
    aclmdlHW hw;
    uint32_t numbers[2];
    struct prepared with = prepare(image_input, 2, image_case, image_shapes);
    OK(aclmdlGetDynamicHW(with.desc, 0, &hw));
    EXPECT("9: two numbers are height and width", hw.hwCount == 2 && hw.hw[1][0] == 8 && hw.hw[1][1] == 16);
    OK(aclmdlSetDynamicHWSize(with.id, with.input, 1, 8, 8));
    OK(aclsimRead(with.numbers, numbers, 8));
    EXPECT("9", numbers[0] == 8 && numbers[1] == 8);
    EXPECT_CODE("9", ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID, aclmdlSetDynamicHWSize(with.id, with.input, 1, 16, 8));
    EXPECT("9: -1 is every gear", written(&with) == 20);
    unsigned char before[20], after[20];
    OK(aclsimRead(with.out, before, 20));
    OK(aclrtMemset(with.x + 64, 1, 1, 1));
    OK(aclmdlExecute(with.id, with.input, with.output));
    OK(aclsimRead(with.out, after, 20));
    EXPECT("9: a small gear reads no more", memcmp(before, after, 20) == 0);
    OK(aclrtMemset(with.x + 63, 1, 1, 1));
    OK(aclmdlExecute(with.id, with.input, with.output));
    OK(aclsimRead(with.out, after, 20));
    EXPECT("9: but all of its own", memcmp(before, after, 20) != 0);
    finish(&with);
}

static void dims(void)
{
    size_t count;
    aclmdlIODims all[2], asked = {.dimCount = 4, .dims = {4, 5, 1, 6}};
    struct prepared with = prepare(dims_input, 3, dims_case, dims_shapes);
    OK(aclmdlGetInputDynamicGearCount(with.desc, (size_t)-1, &count));
    EXPECT("9", count == 2);
    EXPECT_CODE("9", ACL_ERROR_INVALID_PARAM, aclmdlGetInputDynamicDims(with.desc, (size_t)-1, all, 1));
    OK(aclmdlGetInputDynamicDims(with.desc, (size_t)-1, all, 2));
    EXPECT("9: of all inputs in the model's order", all[0].dimCount == 4 && all[0].dims[0] == 2 && all[0].dims[1] == 5 &&
                                                        all[0].dims[3] == 3);
    OK(aclmdlSetInputDynamicDims(with.id, with.input, 2, &asked));
    EXPECT("9", written(&with) == 96);
    asked.dims[1] = 6;
    EXPECT_CODE("9: a fixed one is different", ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID,
                aclmdlSetInputDynamicDims(with.id, with.input, 2, &asked));
    asked.dims[1] = 5, asked.dims[0] = 2;
    EXPECT_CODE("9: of two gears", ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID,
                aclmdlSetInputDynamicDims(with.id, with.input, 2, &asked));
    asked.dimCount = 3;
    EXPECT_CODE("9: too few", ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID,
                aclmdlSetInputDynamicDims(with.id, with.input, 2, &asked));
    aclmdlIODims current;
    OK(aclmdlGetCurOutputDims(with.desc, 0, &current));
    EXPECT("9", current.dims[0] == 4 && current.dims[1] == 6);
    finish(&with);
}

int main(void)
{
    begin();
    batches();
    images();
    dims();
    end();
    return 0;
}
