//@ run
/* AIPP: what a model says of it, and the parameters of a dynamic one. Facts: om_format 10; limits of the setters:
 * the graph engine's api/acl/acl_model/model. */
#include "om_plans.h"

static const float reciprocal[] = {0.5f};
static const struct om_attr static_parameters[] = {
    OM_INT("aipp_mode", 1), OM_INT("input_format", 1), OM_INT("src_image_size_w", 32), OM_INT("src_image_size_h", 16),
    {.name = "csc_switch", .kind = OM_FLAG, .number = 1}, OM_INTS("matrix_r0c0", 256), OM_INTS("input_bias_0", 16),
    OM_INT("mean_chn_0", 104), {.name = "var_reci_chn_0", .kind = OM_REALS, .count = 1, .reals = reciprocal}, {.name = NULL},
};
static const struct om_attr static_attrs[] = {
    {.name = "aipp", .kind = OM_NAMED, .nested = static_parameters}, OM_STR("_data_related_aipp_mode", "static_aipp"),
    OM_STRS("_aipp_inputs", "NCHW:DT_FLOAT:x:6144:4:1,3,16,32"), OM_STRS("_aipp_outputs", "NHWC:DT_UINT8:x:768:4:1,24,32,1"),
    OM_INTS("input_dims", 1, 3, 16, 32), {.name = NULL},
};
static const struct om_attr dynamic_parameters[] = {
    OM_INT("aipp_mode", 2), OM_INT("related_input_rank", 0), OM_INT("max_src_image_size", 4096), {.name = NULL},
};
static const struct om_attr dynamic_attrs[] = {
    {.name = "aipp", .kind = OM_NAMED, .nested = dynamic_parameters}, OM_STR("_data_related_aipp_mode", "dynamic_aipp"),
    OM_STR("_data_aipp_data_name_map", "ascend_dynamic_aipp_data"),
    OM_STRS("_aipp_inputs", "NCHW:DT_FLOAT:x:6144:4:1,3,16,32"), OM_STRS("_aipp_outputs", "NHWC:DT_UINT8:x:4096:1:4096"),
    OM_INTS("_dynamic_aipp_input_dims", 4096), {.name = NULL},
};
static const struct om_attr data_attrs[] = {
    {.name = "aipp", .kind = OM_NAMED, .nested = dynamic_parameters}, OM_STR("_data_related_aipp_mode", "dynamic_aipp_conf"),
    {.name = NULL},
};
static const struct om_tensor_plan inputs[] = {
    {.name = "x", .dtype = OM_DT_UINT8, .layout = "NHWC", .rank = 4, .dims = {1, 24, 32, 1}, .size = 768, .padded = 800, .attrs = static_attrs},
    {.name = "image", .dtype = OM_DT_UINT8, .layout = "NHWC", .rank = 4, .dims = {1, 24, 32, 1}, .size = 4096, .padded = 4128, .attrs = dynamic_attrs, .index = 1},
    {.name = "plain", .dtype = OM_DT_UINT8, .layout = "ND", .rank = 1, .dims = {8}, .size = 8, .padded = 64, .index = 2},
    {.name = "ascend_dynamic_aipp_data", .type = "AippData", .dtype = OM_DT_UINT8, .layout = "ND", .rank = 1, .dims = {160}, .size = 160, .padded = 192, .attrs = data_attrs, .index = 3},
};

static uint32_t id;

static void describes(void)
{
    static aclAippInfo info;
    aclmdlInputAippType type;
    size_t attached;
    aclmdlIODims dims;
    aclmdlDesc *desc = aclmdlCreateDesc();
    OK(aclmdlGetDesc(desc, id));
    OK(aclmdlGetAippType(id, 0, &type, &attached));
    EXPECT("10", type == ACL_DATA_WITH_STATIC_AIPP && attached == ACL_INVALID_NODE_INDEX);
    OK(aclmdlGetAippType(id, 1, &type, &attached));
    EXPECT("10: the input with the parameters", type == ACL_DATA_WITH_DYNAMIC_AIPP && attached == 3);
    OK(aclmdlGetAippType(id, 2, &type, &attached));
    EXPECT("10", type == ACL_DATA_WITHOUT_AIPP && attached == ACL_INVALID_NODE_INDEX);
    OK(aclmdlGetAippType(id, 3, &type, &attached));
    EXPECT("10", type == ACL_DYNAMIC_AIPP_NODE);
    EXPECT_CODE("10", ACL_ERROR_INVALID_PARAM, aclmdlGetAippType(id, 4, &type, &attached));
    EXPECT_CODE("10", ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, aclmdlGetAippType(id + 9, 0, &type, &attached));
    OK(aclmdlGetFirstAippInfo(id, 0, &info));
    EXPECT("10", info.inputFormat == ACL_YUV420SP_U8 && info.srcImageSizeW == 32 && info.srcImageSizeH == 16);
    EXPECT("10", info.cscSwitch == 1 && info.matrixR0C0 == 256 && info.inputBias0 == 16 && info.cropSwitch == 0);
    EXPECT("10", info.meanChn0 == 104 && info.varReciChn0 == 0.5f && info.shapeCount == 1);
    EXPECT("10: the first of _aipp_inputs", info.srcFormat == ACL_FORMAT_NCHW && info.srcDatatype == ACL_FLOAT && info.srcDimNum == 4);
    EXPECT("10", info.outDims[0].srcSize == 6144 && info.outDims[0].srcDims.dims[3] == 32 && info.outDims[0].aippOutSize == 768);
    EXPECT_CODE("10: no aipp attribute", ACL_ERROR_GE_AIPP_NOT_EXIST, aclmdlGetFirstAippInfo(id, 2, &info));
    OK(aclmdlGetInputDims(desc, 0, &dims));
    EXPECT("6", dims.dims[1] == 24);
    OK(aclmdlGetInputDimsV2(desc, 0, &dims));
    EXPECT("6: input_dims", dims.dims[1] == 3);
    OK(aclmdlGetInputDims(desc, 1, &dims));
    EXPECT("6: _dynamic_aipp_input_dims", dims.dimCount == 1 && dims.dims[0] == 4096);
    OK(aclmdlDestroyDesc(desc));
}

static void sets(aclmdlDataset *input, const char *parameters)
{
    size_t size;
    uint8_t bytes[160];
    aclmdlAIPP *set = aclmdlCreateAIPP(1);
    EXPECT("set", aclmdlCreateAIPP(0) == NULL);
    OK(aclmdlGetAippDataSize(1, &size));
    EXPECT("64 bytes, and 96 for each image", size == 160);
    EXPECT_CODE("limits", ACL_ERROR_INVALID_PARAM, aclmdlGetAippDataSize(0, &size));
    EXPECT_CODE("limits", ACL_ERROR_INVALID_PARAM, aclmdlSetAIPPSrcImageSize(set, 4097, 16));
    EXPECT_CODE("limits", ACL_ERROR_INVALID_PARAM, aclmdlSetAIPPSrcImageSize(set, 1, 16));
    EXPECT_CODE("limits", ACL_ERROR_INVALID_PARAM, aclmdlSetAIPPRbuvSwapSwitch(set, 2));
    EXPECT_CODE("limits", ACL_ERROR_INVALID_PARAM, aclmdlSetAIPPCropParams(set, 1, 0, 0, 8, 8, 1));
    EXPECT_CODE("limits", ACL_ERROR_INVALID_PARAM, aclmdlSetAIPPPaddingParams(set, 1, 33, 0, 0, 0, 0));
    EXPECT_CODE("limits", ACL_ERROR_INVALID_PARAM, aclmdlSetAIPPDtcPixelMean(set, 256, 0, 0, 0, 0));
    EXPECT_CODE("limits", ACL_ERROR_INVALID_PARAM, aclmdlSetAIPPInputFormat(set, (aclAippInputFormat)99));
    EXPECT_CODE("nothing set", ACL_ERROR_INVALID_PARAM, aclmdlSetInputAIPP(id, input, 3, set));
    OK(aclmdlSetAIPPInputFormat(set, ACL_YUV420SP_U8));
    OK(aclmdlSetAIPPSrcImageSize(set, 64, 32));
    OK(aclmdlSetAIPPPixelVarReci(set, 1, 1, 1, 1, 0));
    EXPECT_CODE("64 x 32 is not what the model takes", ACL_ERROR_INVALID_PARAM, aclmdlSetInputAIPP(id, input, 3, set));
    OK(aclmdlSetAIPPCropParams(set, 1, 1, 2, 32, 16, 0));
    EXPECT_CODE("an odd place in 4:2:0", ACL_ERROR_INVALID_PARAM, aclmdlSetInputAIPP(id, input, 3, set));
    OK(aclmdlSetAIPPCropParams(set, 1, 2, 2, 32, 16, 0));
    EXPECT_CODE("an input without parameters", ACL_ERROR_INVALID_PARAM, aclmdlSetInputAIPP(id, input, 2, set));
    EXPECT_CODE("a static one", ACL_ERROR_FAILURE, aclmdlSetAIPPByInputIndex(id, input, 0, set));
    OK(aclmdlSetInputAIPP(id, input, 3, set));
    OK(aclrtMemset((void *)parameters, 160, 0, 160));
    OK(aclmdlSetAIPPByInputIndex(id, input, 1, set));
    OK(aclsimRead(parameters, bytes, sizeof bytes));
    EXPECT("the chip's format, the number of images", bytes[0] == 1 && bytes[4] == 1);
    EXPECT("crop", bytes[64] == 1 && bytes[8] == 64 && bytes[12] == 32);
    aclDataBuffer *buffer = aclmdlGetDatasetBuffer(input, 3);
    OK(aclUpdateDataBuffer(buffer, (void *)parameters, 159));
    EXPECT_CODE("9", ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, aclmdlSetInputAIPP(id, input, 3, set));
    OK(aclUpdateDataBuffer(buffer, NULL, 160));
    EXPECT_CODE("9", ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID, aclmdlSetInputAIPP(id, input, 3, set));
    OK(aclUpdateDataBuffer(buffer, (void *)parameters, 160));
    OK(aclmdlDestroyAIPP(set));
}

/* 64 x 32 in 4:2:0 are 3072 bytes: those the model reads, regardless of the buffer's size. */
static void reads(aclmdlDataset *input, char *image)
{
    float before[5], after[5];
    void *out = deviceBlock(PLAIN_OUT);
    aclmdlDataset *output = datasetOf(out, PLAIN_OUT);
    OK(aclmdlExecute(id, input, output));
    OK(aclsimRead(out, before, sizeof before));
    OK(aclrtMemset(image + 3072, 1, 5, 1));
    OK(aclmdlExecute(id, input, output));
    OK(aclsimRead(out, after, sizeof after));
    EXPECT("README: bytes behind the image", memcmp(before, after, sizeof before) == 0);
    OK(aclrtMemset(image + 3071, 1, 5, 1));
    OK(aclmdlExecute(id, input, output));
    OK(aclsimRead(out, after, sizeof after));
    EXPECT("README: its last byte", memcmp(before, after, sizeof before) != 0);
    OK(aclUpdateDataBuffer(aclmdlGetDatasetBuffer(input, 1), image, 8));
    EXPECT_CODE("7: no check with dynamic AIPP", ACL_SUCCESS, aclmdlExecute(id, input, output));
    forget(output);
    OK(aclrtFree(out));
}

int main(void)
{
    struct om_plan plan = plainPlan('D');
    begin();
    plan.input = inputs, plan.inputs = 4;
    for (int coded = 0; coded < 2; coded++) {
        plan.is_coded = coded;
        struct bytes file = omWrite(&plan);
        OK(aclmdlLoadFromMem(file.data, file.length, &id));
        free(file.data);
        char *block = deviceBlock(16384);
        OK(aclrtMemset(block, 16384, 0, 16384));
        aclmdlDataset *input = datasetOf(block, 768);
        OK(aclmdlAddDatasetBuffer(input, aclCreateDataBuffer(block + 4096, 4096)));
        OK(aclmdlAddDatasetBuffer(input, aclCreateDataBuffer(block + 1024, 8)));
        OK(aclmdlAddDatasetBuffer(input, aclCreateDataBuffer(block + 2048, 160)));
        describes();
        sets(input, block + 2048);
        reads(input, block + 4096);
        forget(input);
        OK(aclrtFree(block));
        OK(aclmdlUnload(id));
    }
    end();
    return 0;
}
