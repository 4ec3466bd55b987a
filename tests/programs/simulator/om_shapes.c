//@ run
/* Models with open shapes: a table for each part of the graph, and shapes that come with each execution. Facts: om_format
 * 2, 3, 7, 11; the shapes of outputs are the simulator's (simulator/README.md). */
#include "om_plans.h"

static const struct om_attr range[] = {
    OM_RANGE("origin_shape_range", 1, 8, 5, 5), OM_INTS("origin_shape", -1, 5), {.name = NULL}};
static const struct om_tensor_plan input[] = {
    {.name = "x", .dtype = OM_DT_FLOAT, .layout = "ND", .rank = 2, .dims = {-1, 5}, .tensor = range},
};
static const struct om_tensor_plan output[] = {
    {.name = "last", .dtype = OM_DT_FLOAT16, .layout = "ND", .rank = 2, .dims = {-1, 3}},
    {.name = "fixed", .dtype = OM_DT_INT32, .layout = "ND", .rank = 1, .dims = {4}},
};

static struct om_plan planned(char generation, size_t tables)
{
    struct om_plan plan = plainPlan(generation);
    plan.input = input, plan.output = output, plan.outputs = 2, plan.is_dynamic = true, plan.copies = tables;
    plan.is_coded = generation == 'D';
    return plan;
}

static void describes(uint32_t id, const struct bytes *file, size_t tables)
{
    size_t work = 9, weights = 9;
    aclmdlIODims dims;
    aclmdlIODimsRange ranges;
    aclmdlDesc *desc = aclmdlCreateDesc();
    OK(aclmdlQuerySizeFromMem(file->data, file->length, &work, &weights));
    EXPECT("7: no work, weights of all tables", work == 0 && weights == 96 * tables);
    OK(aclmdlGetDesc(desc, id));
    EXPECT("11: sizes 0 where a dimension is open", aclmdlGetInputSizeByIndex(desc, 0) == 0);
    EXPECT("11", aclmdlGetOutputSizeByIndex(desc, 0) == 0 && aclmdlGetOutputSizeByIndex(desc, 1) == 16);
    OK(aclmdlGetInputDims(desc, 0, &dims));
    EXPECT("11", dims.dims[0] == -1 && dims.dims[1] == 5);
    OK(aclmdlGetInputDimsRange(desc, 0, &ranges));
    EXPECT("11", ranges.rangeCount == 2 && ranges.range[0][1] == 8);
    EXPECT_CODE("of fixed shapes only", ACL_ERROR_API_NOT_SUPPORT, aclmdlGetCurOutputDims(desc, 0, &dims));
    OK(aclmdlDestroyDesc(desc));
}

static void shape(aclmdlDataset *of, int64_t rows)
{
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 2, (int64_t[]){rows, 5}, ACL_FORMAT_ND);
    OK(aclmdlSetDatasetTensorDesc(of, desc, 0));
    aclDestroyTensorDesc(desc);
}

static void runs(uint32_t id)
{
    uint8_t bytes[64];
    aclrtStream stream;
    char *block = deviceBlock(1024);
    OK(aclrtCreateStream(&stream));
    OK(aclrtMemset(block, 1024, 0xee, 1024));
    aclmdlDataset *in = datasetOf(block, 160), *out = datasetOf(NULL, 0), *one = datasetOf(NULL, 0);
    OK(aclmdlAddDatasetBuffer(out, aclCreateDataBuffer(block + 512, 16)));
    shape(in, 4);
    EXPECT_CODE("number of outputs", ACL_ERROR_GE_FAILURE, aclmdlExecute(id, in, one));
    OK(aclmdlExecute(id, in, out));
    aclTensorDesc *made = aclmdlGetDatasetTensorDesc(out, 0);
    EXPECT("11: the shape that came out", aclGetTensorDescDim(made, 0) == 4 && aclGetTensorDescDim(made, 1) == 3);
    EXPECT("11", aclGetTensorDescType(made) == ACL_FLOAT16);
    aclDataBuffer *given = aclmdlGetDatasetBuffer(out, 0);
    EXPECT("11: output buffers may be null", aclGetDataBufferSizeV2(given) == 24);
    OK(aclrtFree(aclGetDataBufferAddr(given)));
    shape(in, 9);
    EXPECT_CODE("11: out of range", ACL_ERROR_INVALID_PARAM, aclmdlExecute(id, in, out));
    shape(in, 6);
    OK(aclUpdateDataBuffer(given, block + 768, 35));
    EXPECT_CODE("README: too small for 6 x 3 halves", ACL_ERROR_GE_FAILURE, aclmdlExecute(id, in, out));
    OK(aclUpdateDataBuffer(given, block + 768, 40));
    OK(aclmdlExecuteAsync(id, in, out, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclsimRead(block + 768, bytes, sizeof bytes));
    EXPECT("README: 36 bytes", bytes[36] == 0xee && (bytes[35] != 0xee || bytes[33] != 0xee));
    OK(aclUpdateDataBuffer(aclmdlGetDatasetBuffer(in, 0), block, 100));
    OK(aclmdlSetDatasetTensorDesc(in, NULL, 0));
    OK(aclmdlExecute(id, in, out));
    EXPECT("README: rows of the buffer", aclGetTensorDescDim(aclmdlGetDatasetTensorDesc(out, 0), 0) == 5);
    forget(in), forget(out), forget(one);
    OK(aclrtDestroyStream(stream));
    OK(aclrtFree(block));
}

int main(void)
{
    begin();
    for (size_t tables = 1; tables < 4; tables++) {
        for (int wide = 0; wide < 2; wide++) {
            uint32_t id;
            struct om_plan plan = planned(wide ? 'D' : 'C', tables);
            struct bytes file = omWrite(&plan);
            if (!wide && tables == 1) { /* 2: nothing says that it is dynamic */
                free(file.data);
                continue;
            }
            void *weights = deviceBlock(96 * tables);
            size_t live = aclsimLiveBlocks(0);
            OK(aclmdlLoadFromMemWithMem(file.data, file.length, &id, NULL, 0, weights, 96 * tables));
            EXPECT("7: the given memory", aclsimLiveBlocks(0) == live);
            describes(id, &file, tables);
            runs(id);
            OK(aclmdlUnload(id));
            OK(aclmdlLoadFromMemWithMem(file.data, file.length, &id, NULL, 0, weights, 95));
            EXPECT("too little is not used", aclsimLiveBlocks(0) == live + 1);
            OK(aclmdlUnload(id));
            OK(aclrtFree(weights));
            put(&file, "", 1);
            if (wide) {
                uint64_t length = file.length - 256;
                memcpy(file.data + 184, &length, 8);
                EXPECT_CODE("3: ends with the file", ACL_ERROR_GE_FAILURE, aclmdlLoadFromMem(file.data, file.length, &id));
            }
            free(file.data);
        }
    }
    struct om_plan plan = planned('D', 1);
    struct om_tensor_plan bare = input[0];
    bare.index = -1;
    plan.input = &bare;
    struct bytes file = omWrite(&plan);
    uint32_t id;
    EXPECT_CODE("11: index is mandatory", ACL_ERROR_GE_FAILURE, aclmdlLoadFromMem(file.data, file.length, &id));
    free(file.data);
    end();
    return 0;
}
