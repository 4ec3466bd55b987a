//@ run
//@ run: ACLSIM_QUIET=1
/* Offline models of each generation: what they say of themselves, and which files are refused. Facts: om_format. */
#include "om_plans.h"

static uint32_t loaded(const struct bytes *file)
{
    uint32_t id = 0;
    OK(aclmdlLoadFromMem(file->data, file->length, &id));
    return id;
}

static void describes(char generation)
{
    struct bytes file = plainModel(generation);
    size_t work = 0, weights = 0, index = 9;
    aclmdlIODims dims;
    OK(aclmdlQuerySizeFromMem(file.data, file.length, &work, &weights));
    EXPECT("7: work is the tasks' memory_size, weights are the partition's", work == PLAIN_WORK && weights == 96);
    uint32_t id = loaded(&file);
    aclmdlDesc *desc = aclmdlCreateDesc();
    OK(aclmdlGetDesc(desc, id));
    EXPECT("6", aclmdlGetNumInputs(desc) == 1 && aclmdlGetNumOutputs(desc) == 1);
    EXPECT("6: not padded", aclmdlGetInputSizeByIndex(desc, 0) == PLAIN_IN);
    EXPECT("6: elements times bytes", aclmdlGetOutputSizeByIndex(desc, 0) == PLAIN_OUT);
    EXPECT("6", strcmp(aclmdlGetInputNameByIndex(desc, 0), "x") == 0);
    EXPECT("6: the model's name and the source's place", strcmp(aclmdlGetOutputNameByIndex(desc, 0), "y:0") == 0);
    OK(aclmdlGetOutputIndexByName(desc, "y:0", &index));
    EXPECT("6", index == 0 && aclmdlGetInputIndexByName(desc, "y:0", &index) != ACL_SUCCESS);
    OK(aclmdlGetInputDims(desc, 0, &dims));
    EXPECT("6", strcmp(dims.name, "x") == 0 && dims.dimCount == 2 && dims.dims[0] == 3 && dims.dims[1] == 5);
    EXPECT("4", aclmdlGetInputFormat(desc, 0) == ACL_FORMAT_ND && aclmdlGetOutputFormat(desc, 0) == ACL_FORMAT_NHWC);
    EXPECT("4", aclmdlGetInputDataType(desc, 0) == ACL_FLOAT);
    EXPECT_CODE("6", ACL_ERROR_INVALID_PARAM, aclmdlGetInputDims(desc, 1, &dims));
    OK(aclmdlGetCurOutputDims(desc, 0, &dims));
    EXPECT("9: without gears, the model's", dims.dimCount == 2 && dims.dims[1] == 5);
    OK(aclmdlUnload(id));
    OK(aclmdlDestroyDesc(desc));
    free(file.data);
}

/* Attribute names of two digits in the dictionary, strings as numbers, sizes among the attributes. */
static void decodes(void)
{
    enum { NAMES = 200 };
    static char names[NAMES][8];
    struct om_attr attrs[NAMES + 4] = {{.name = NULL}};
    for (int i = 0; i < NAMES; i++) {
        sprintf(names[i], "n%d", i);
        attrs[i] = (struct om_attr)OM_INT(names[i], i);
    }
    attrs[NAMES] = (struct om_attr)OM_INTS("input_dims", 1, 3, 5);
    static const struct om_attr tensor[] = {
        OM_INT("format_for_int", 3 | 16 << 8), OM_INT("size", 64), OM_INT("_special_input_size", 48), {.name = NULL}};
    struct om_plan plan = plainPlan('D');
    struct om_tensor_plan input[] = {plan.input[0], plan.input[0]};
    input[0].name = "second", input[0].index = 1;
    input[1].name = "first", input[1].index = 0, input[1].attrs = attrs, input[1].tensor = tensor;
    plan.input = input, plan.inputs = 2, plan.is_coded = true;
    struct bytes file = omWrite(&plan);
    aclmdlIODims dims;
    uint32_t id = loaded(&file);
    aclmdlDesc *desc = aclmdlCreateDesc();
    OK(aclmdlGetDesc(desc, id));
    EXPECT("6: by the attribute index", strcmp(aclmdlGetInputNameByIndex(desc, 0), "first") == 0);
    EXPECT("6: _special_input_size", aclmdlGetInputSizeByIndex(desc, 0) == 48);
    EXPECT("4: the number goes before the name", aclmdlGetInputFormat(desc, 0) == ACL_FORMAT_NC1HWC0);
    OK(aclmdlGetInputDimsV2(desc, 0, &dims));
    EXPECT("6: V2 is what AIPP makes", dims.dimCount == 3);
    OK(aclmdlGetInputDims(desc, 0, &dims));
    EXPECT("6", dims.dimCount == 2);
    EXPECT("6", aclmdlGetInputSizeByIndex(desc, 1) == PLAIN_IN);
    OK(aclmdlUnload(id));
    OK(aclmdlDestroyDesc(desc));
    free(file.data);
}

static void namesAreCut(void)
{
    static char name[201];
    memset(name, 'n', 200);
    char expected[64];
    struct om_plan plan = plainPlan('C');
    struct om_tensor_plan input = plan.input[0];
    struct om_attr bare[] = {OM_INT("memory_size", 64), {.name = NULL}};
    input.name = name;
    plan.input = &input, plan.model = bare;
    struct bytes file = omWrite(&plan);
    aclmdlIODims dims;
    uint32_t id = loaded(&file);
    aclmdlDesc *desc = aclmdlCreateDesc();
    OK(aclmdlGetDesc(desc, id));
    OK(aclmdlGetInputDims(desc, 0, &dims));
    sprintf(expected, "acl_modelId_%u_input_0", id);
    EXPECT("6: names longer than 127", strcmp(dims.name, expected) == 0);
    EXPECT("6", strcmp(aclmdlGetInputNameByIndex(desc, 0), name) == 0);
    EXPECT("6", strcmp(aclmdlGetTensorRealName(desc, expected), name) == 0);
    EXPECT("6: without the model's names", strcmp(aclmdlGetOutputNameByIndex(desc, 0), "output_0_last_0") == 0);
    OK(aclmdlUnload(id));
    OK(aclmdlDestroyDesc(desc));
    free(file.data);
}

/* What is asked for is enough for a run: the chip stores channels by 16, or 32 of one byte. */
static void storesChannels(void)
{
    static const struct {
        struct om_tensor_plan output;
        size_t size;
    } kinds[] = {
        {{.name = "half", .dtype = OM_DT_FLOAT16, .layout = "NC1HWC0", .rank = 4, .dims = {1, 1, 192, 256}, .padded = 1572896}, 1572864},
        {{.name = "bytes", .dtype = OM_DT_UINT8, .layout = "NC1HWC0", .rank = 4, .dims = {1, 40, 2, 3}, .padded = 416}, 384},
        {{.name = "split", .dtype = OM_DT_FLOAT16, .layout = "NC1HWC0", .rank = 5, .dims = {1, 2, 3, 4, 16}, .padded = 800}, 768},
        {{.name = "plain", .dtype = OM_DT_FLOAT16, .layout = "NCHW", .rank = 4, .dims = {1, 1, 3, 4}, .padded = 64}, 24},
    };
    void *in = deviceBlock(PLAIN_IN);
    OK(aclrtMemset(in, PLAIN_IN, 1, PLAIN_IN));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct om_plan plan = plainPlan('B');
        plan.output = &kinds[i].output;
        struct bytes file = omWrite(&plan);
        uint32_t id = loaded(&file);
        aclmdlDesc *desc = aclmdlCreateDesc();
        OK(aclmdlGetDesc(desc, id));
        size_t size = aclmdlGetOutputSizeByIndex(desc, 0);
        EXPECT("metadef: CalcElementCntOfNc1hwc0", size == kinds[i].size);
        void *out = deviceBlock(size);
        aclmdlDataset *input = datasetOf(in, PLAIN_IN), *output = datasetOf(out, size);
        OK(aclmdlExecute(id, input, output));
        forget(input), forget(output);
        OK(aclrtFree(out));
        OK(aclmdlDestroyDesc(desc));
        OK(aclmdlUnload(id));
        free(file.data);
    }
    OK(aclrtFree(in));
}

/* Names from before the compiler's changes, and a priority. */
static void knowsOperators(bool is_coded)
{
    const char *const key = ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES;
    struct om_attr attrs[] = {OM_STRS(ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES, "conv1", "relu"), {.name = NULL}};
    struct om_plan plan = plainPlan('D');
    struct om_tensor_plan input = plan.input[0];
    aclmdlAttrValue_t value = {.mdlPriority = 1};
    input.attrs = attrs;
    plan.input = &input, plan.is_coded = is_coded;
    struct bytes file = omWrite(&plan);
    uint32_t id = loaded(&file);
    aclmdlDesc *desc = aclmdlCreateDesc();
    OK(aclmdlGetDesc(desc, id));
    memset(file.data, 0, file.length), free(file.data);
    EXPECT("GetNodeAttr", strcmp(aclmdlGetOpAttr(desc, "x", key), "[5]conv1[4]relu") == 0);
    EXPECT("GetNodeAttr", strcmp(aclmdlGetOpAttr(desc, "Node_Output", key), "") == 0);
    EXPECT("GetNodeAttr", aclmdlGetOpAttr(desc, "x", "index") == NULL);
    OK(aclmdlSetAttribute(id, ACL_MDL_ATTR_PRIORITY_INT32, &value));
    value.mdlPriority = 1000;
    EXPECT_CODE("priority", ACL_ERROR_INVALID_PARAM, aclmdlSetAttribute(id, ACL_MDL_ATTR_PRIORITY_INT32, &value));
    OK(aclmdlGetAttribute(id, ACL_MDL_ATTR_PRIORITY_INT32, &value));
    EXPECT("priority", value.mdlPriority == 1);
    OK(aclmdlDestroyDesc(desc));
    OK(aclmdlUnload(id));
}

/* §8. */
static void listsEnds(void)
{
    struct bytes ends = {0}, inout = {0};
    aclmdlIODims dims;
    aclmdlIODimsRange range;
    putNumber(&ends, 1, 4);
    putNumber(&ends, 60, 8), putNumber(&ends, ACL_FORMAT_ND, 4), putNumber(&ends, ACL_INT32, 4);
    putNumber(&ends, 6, 4), putNumber(&ends, 16, 4), putNumber(&ends, 8, 4), putNumber(&ends, 16, 4);
    put(&ends, "listed", 6);
    putNumber(&ends, 4, 8), putNumber(&ends, 5, 8), putNumber(&ends, 7, 8), putNumber(&ends, 1, 8), putNumber(&ends, 9, 8);
    putNumber(&inout, 0, 4), putNumber(&inout, ends.length, 4), put(&inout, ends.data, ends.length);
    struct om_plan plan = plainPlan('D');
    plan.inout = &inout;
    struct bytes file = omWrite(&plan), without = plainModel('C');
    aclmdlDesc *desc = aclmdlCreateDesc();
    OK(aclmdlGetDescFromMem(desc, file.data, file.length));
    EXPECT("8", aclmdlGetNumInputs(desc) == 1 && aclmdlGetNumOutputs(desc) == 0);
    EXPECT("8", aclmdlGetInputSizeByIndex(desc, 0) == 60 && aclmdlGetInputDataType(desc, 0) == ACL_INT32);
    OK(aclmdlGetInputDims(desc, 0, &dims));
    EXPECT("8", dims.dimCount == 2 && dims.dims[1] == 5 && strcmp(dims.name, "listed") == 0);
    OK(aclmdlGetInputDimsRange(desc, 0, &range));
    EXPECT("8", range.rangeCount == 1 && range.range[0][0] == 1 && range.range[0][1] == 9);
    OK(aclmdlGetDescFromMem(desc, without.data, without.length));
    EXPECT("7: nothing in files without the partition", aclmdlGetNumInputs(desc) == 0 && aclmdlGetNumOutputs(desc) == 0);
    EXPECT_CODE("12", ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, aclmdlGetDescFromFile(desc, "/no/such.om"));
    OK(aclmdlDestroyDesc(desc));
    free(ends.data), free(inout.data), free(file.data), free(without.data);
}

static void refuse(const char *fact, aclError expected, struct bytes file)
{
    uint32_t id;
    size_t live = aclsimLiveBlocks(0);
    EXPECT_CODE(fact, expected, aclmdlLoadFromMem(file.data, file.length, &id));
    EXPECT(fact, aclsimLiveBlocks(0) == live);
    free(file.data);
}

static void refuses(void)
{
    uint32_t id;
    size_t work, weights;
    struct bytes file = plainModel('D'), body = {0}, gone = {0};
    struct om_part only = {0, "\x0a\x01x", 3};
    EXPECT_CODE("12", ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, aclmdlLoadFromFile("/no/such.om", &id));
    EXPECT_CODE("12", ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, aclmdlQuerySize("/no/such.om", &work, &weights));
    file.length = 200;
    refuse("12: shorter than 256", ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, file);
    file = plainModel('D'), file.length--;
    refuse("12: length", ACL_ERROR_GE_PARAM_INVALID, file);
    file = plainModel('C'), file.data[0] ^= 0x55;
    refuse("1: encrypted", ACL_ERROR_GE_PARAM_INVALID, file);
    file = plainModel('C'), memcpy(file.data, "PK\3\4", 4);
    refuse("1: OM2", ACL_ERROR_GE_PARAM_INVALID, file);
    for (int count = 0; count < 10; count++) {
        file = plainModel('C'), file.data[256] = (uint8_t)count;
        if (count == 0 || count == 2 || count == 9) {
            refuse("3: number of partitions", ACL_ERROR_GE_PARAM_INVALID, file);
        } else {
            free(file.data);
        }
    }
    file = plainModel('B'), file.data[256 + 4 + 3 * 12 + 11] = 1;
    refuse("12: partition past the end", ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, file);
    file = plainModel('C'), file.data[256 + 4 + 4 * 12 + 1] = 0xff; /* the first message's length */
    refuse("12: MODEL_DEF unreadable", ACL_ERROR_GE_FAILURE, file);
    putTable(&body, &only, 1, false);
    file = omWithHeader('C', &body, 0, 1, false);
    EXPECT_CODE("12: one partition", ACL_ERROR_GE_PARAM_INVALID,
                aclmdlQuerySizeFromMem(file.data, file.length, &work, &weights));
    free(file.data);
    body.length = 0, put(&body, "\x0a\x03xyz", 5), put(&body, plain_weights, 96);
    refuse("1: generation A", ACL_ERROR_GE_PARAM_INVALID, omWithHeader('B', &body, 0, 0, false));
    body.length = 0, putTable(&body, &only, 1, true);
    refuse("11: a bundle by an ordinary load", ACL_ERROR_GE_FAILURE, omWithHeader('D', &body, 5, 0, false));
    EXPECT_CODE("load", ACL_ERROR_INVALID_PARAM, aclmdlLoadFromMem(NULL, 4, &id));
    EXPECT_CODE("load", ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, aclmdlUnload(4));
    free(body.data), free(gone.data);
}

/* §7: the parts of the work memory without the last are what it needs without inputs and outputs. */
static void sumsAreChecked(int64_t second, bool fits)
{
    uint32_t id;
    struct om_plan plan = plainPlan('D');
    struct bytes definition = {0}, value = {0}, entry = {0}, list = {0}, row = {0};
    const int64_t rows[3][3] = {{2, 0, 3000}, {2, 3000, second}, {2, 3072, 1024}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            putInteger(&row, 1, rows[i][k]);
        }
        putMessage(&list, 1, &row);
    }
    putMessage(&value, 14, &list);
    putText(&entry, 1, "sub_memory_info");
    putMessage(&entry, 2, &value);
    definition = omDefinition(&plan);
    putMessage(&definition, 11, &entry);
    struct om_part parts[] = {{0, definition.data, definition.length}, {1, "w", 1}, {2, "", 0}};
    struct bytes body = {0};
    putTable(&body, parts, 3, true);
    struct bytes file = omWithHeader('D', &body, 0, 1, false);
    EXPECT_CODE("7: sub_memory_info", fits ? ACL_SUCCESS : ACL_ERROR_GE_FAILURE,
                aclmdlLoadFromMem(file.data, file.length, &id));
    if (fits) {
        OK(aclmdlUnload(id));
    }
    free(definition.data), free(value.data), free(entry.data), free(list.data), free(row.data), free(body.data);
    free(file.data);
}

int main(void)
{
    begin();
    describes('B'), describes('C'), describes('D');
    decodes();
    namesAreCut();
    storesChannels();
    knowsOperators(false), knowsOperators(true);
    listsEnds();
    refuses();
    sumsAreChecked(72, true), sumsAreChecked(73, false);
    end();
    return 0;
}
