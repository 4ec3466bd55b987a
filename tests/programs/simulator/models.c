//@ run
/* An offline model, which for the simulator is an ONNX file: y = relu(x w) with x [1,2] and w [2,2]. */
#include "acl/error_codes/ge_error_codes.h"
#include "expect.h"

struct bytes {
    size_t length;
    char data[512];
};

/* A field of text, or of a message that was made before. */
static void field(struct bytes *to, int number, const void *data, size_t length)
{
    to->data[to->length++] = (char)(number << 3 | 2);
    to->data[to->length++] = (char)length; /* all are shorter than 128 */
    memcpy(to->data + to->length, data, length);
    to->length += length;
}

static void text(struct bytes *to, int number, const char *value)
{
    field(to, number, value, strlen(value));
}

static void whole(struct bytes *to, int number, int value)
{
    to->data[to->length++] = (char)(number << 3);
    to->data[to->length++] = (char)value;
}

static void node(struct bytes *graph, const char *type, const char *first, const char *second, const char *output)
{
    struct bytes node = {0};
    text(&node, 1, first);
    if (second != NULL) {
        text(&node, 1, second);
    }
    text(&node, 2, output);
    text(&node, 4, type);
    field(graph, 1, node.data, node.length);
}

static void end(struct bytes *graph, int number, const char *name)
{
    struct bytes size = {0}, shape = {0}, tensor = {0}, type = {0}, info = {0};
    whole(&size, 1, 1);
    field(&shape, 1, size.data, size.length);
    size.length = 0;
    whole(&size, 1, 2);
    field(&shape, 1, size.data, size.length);
    whole(&tensor, 1, 1);
    field(&tensor, 2, shape.data, shape.length);
    field(&type, 1, tensor.data, tensor.length);
    text(&info, 1, name);
    field(&info, 2, type.data, type.length);
    field(graph, number, info.data, info.length);
}

static struct bytes model(const char *last)
{
    const float weights[] = {1, -1, 2, -2};
    struct bytes graph = {0}, tensor = {0}, made = {0};
    node(&graph, "MatMul", "x", "w", "p");
    node(&graph, last, "p", NULL, "y");
    whole(&tensor, 1, 2);
    whole(&tensor, 1, 2);
    whole(&tensor, 2, 1);
    text(&tensor, 8, "w");
    field(&tensor, 9, weights, sizeof weights);
    field(&graph, 5, tensor.data, tensor.length);
    end(&graph, 11, "x");
    end(&graph, 12, "y");
    made.data[made.length++] = 7 << 3 | 2;
    made.data[made.length++] = (char)(graph.length & 0x7f) | (char)0x80;
    made.data[made.length++] = (char)(graph.length >> 7);
    memcpy(made.data + made.length, graph.data, graph.length);
    made.length += graph.length;
    return made;
}

static aclmdlDataset *dataset(void *address, size_t size)
{
    aclmdlDataset *made = aclmdlCreateDataset();
    OK(aclmdlAddDatasetBuffer(made, aclCreateDataBuffer(address, size)));
    return made;
}

static void forget(aclmdlDataset *gone)
{
    OK(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(gone, 0)));
    OK(aclmdlDestroyDataset(gone));
}

static void describes(uint32_t id)
{
    aclmdlIODims dims;
    size_t index;
    aclmdlDesc *desc = aclmdlCreateDesc();
    OK(aclmdlGetDesc(desc, id));
    EXPECT("models", aclmdlGetNumInputs(desc) == 1 && aclmdlGetNumOutputs(desc) == 1);
    EXPECT("models", aclmdlGetInputSizeByIndex(desc, 0) == 8 && aclmdlGetOutputSizeByIndex(desc, 0) == 8);
    OK(aclmdlGetOutputDims(desc, 0, &dims));
    EXPECT("models", strcmp(dims.name, "y") == 0 && dims.dimCount == 2 && dims.dims[0] == 1 && dims.dims[1] == 2);
    OK(aclmdlGetInputIndexByName(desc, "x", &index));
    EXPECT("models", index == 0 && aclmdlGetInputDataType(desc, 0) == ACL_FLOAT);
    OK(aclmdlDestroyDesc(desc));
}

static void computes(uint32_t id, aclrtStream stream)
{
    const float x[] = {3, 5}, expected[] = {13, 0};
    float y[2] = {0};
    void *in, *out;
    OK(aclrtMalloc(&in, sizeof x, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&out, sizeof y, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(in, sizeof x, x, sizeof x, ACL_MEMCPY_HOST_TO_DEVICE));
    aclmdlDataset *input = dataset(in, sizeof x), *output = dataset(out, sizeof y);
    aclmdlExecConfigHandle *handle = aclmdlCreateExecConfigHandle();
    OK(aclmdlExecuteV2(id, input, output, stream, handle));
    OK(aclmdlDestroyExecConfigHandle(handle));
    EXPECT_CODE("the graph engine's model.cpp:1703: a handle comes first", ACL_ERROR_INVALID_PARAM,
                aclmdlExecuteV2(id + 9, input, output, stream, NULL));
    OK(aclrtMemset(out, sizeof y, 0, sizeof y));
    OK(id % 2 == 0 ? aclmdlExecuteAsync(id, input, output, stream)
                   : aclmdlExecuteAsyncV2(id, input, output, stream, NULL));
    forget(input), forget(output);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(y, sizeof y, out, sizeof y, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("clients: models compute", memcmp(y, expected, sizeof y) == 0);
    input = dataset(in, sizeof x), output = dataset(out, sizeof y - 1);
    EXPECT_CODE("4", ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, aclmdlExecute(id, input, output));
    forget(input), forget(output);
    OK(aclrtFree(in));
    OK(aclrtFree(out));
}

static uint32_t loadConfigured(struct bytes *file, void *work, size_t work_size, void *weights, size_t weight_size)
{
    uint32_t id;
    void *bytes = file->data;
    aclmdlConfigHandle *handle = aclmdlCreateConfigHandle();
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_LOAD_TYPE_SIZET, &(size_t){ACL_MDL_LOAD_FROM_MEM_WITH_MEM}, sizeof(size_t)));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_MEM_ADDR_PTR, &bytes, sizeof bytes));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_MEM_SIZET, &file->length, sizeof file->length));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_WORKSPACE_ADDR_PTR, &work, sizeof work));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_WORKSPACE_SIZET, &work_size, sizeof work_size));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_WEIGHT_ADDR_PTR, &weights, sizeof weights));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_WEIGHT_SIZET, &weight_size, sizeof weight_size));
    OK(aclmdlLoadWithConfig(handle, &id));
    OK(aclmdlDestroyConfigHandle(handle));
    return id;
}

int main(void)
{
    aclrtStream stream;
    uint32_t id, other;
    size_t work_size, weight_size;
    void *work, *weights;
    struct bytes file = model("Relu"), unknown = model("Conv");
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclmdlQuerySizeFromMem(file.data, file.length, &work_size, &weight_size));
    OK(aclrtMalloc(&work, work_size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&weights, weight_size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclmdlLoadFromMemWithMem(file.data, file.length, &id, work, work_size, weights, weight_size));
    OK(aclmdlLoadFromMem(file.data, file.length, &other));
    describes(id);
    computes(id, stream);
    computes(other, stream);
    OK(aclmdlUnload(other));
    other = loadConfigured(&file, work, work_size, weights, weight_size);
    computes(other, stream);
    OK(aclmdlUnload(other));
    EXPECT_CODE("models: too little memory", ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID,
                aclmdlLoadFromMemWithMem(file.data, file.length, &other, work, work_size - 1, weights, weight_size));
    for (size_t cut = 0; cut < file.length; cut++) { /* a damaged file is refused, wherever it ends */
        EXPECT("models: cut files", aclmdlLoadFromMem(file.data, cut, &other) != ACL_SUCCESS);
    }
    EXPECT_CODE("models", ACL_ERROR_GE_LOAD_MODEL, aclmdlLoadFromMem(unknown.data, unknown.length, &other));
    EXPECT_CODE("models", ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, aclmdlLoadFromFile("/no/such.om", &other));
    OK(aclmdlUnload(id));
    EXPECT_CODE("models", ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, aclmdlUnload(id));
    OK(aclrtFree(work));
    OK(aclrtFree(weights));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
