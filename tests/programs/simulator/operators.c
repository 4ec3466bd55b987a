//@ run
//@ run: ACLSIM_STREAM_DELAY_US=200
//@ link: acl_op_compiler acl_cblas
/* Single operators compute, in stream order, on device memory, and refuse what does not fit them. */
#include "acl/acl_op_compiler.h"
#include "acl/error_codes/rt_error_codes.h"
#include "acl/ops/acl_cblas.h"
#include "expect.h"

enum { COUNT = 6 };

static aclrtStream stream;

static void *onDevice(const void *bytes, size_t size)
{
    void *address;
    OK(aclrtMalloc(&address, size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(address, size, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE));
    return address;
}

struct tensor {
    aclTensorDesc *desc;
    aclDataBuffer *buffer;
    void *address;
};

static struct tensor tensor(aclDataType type, int rank, const int64_t *dims, const void *bytes)
{
    struct tensor made = {aclCreateTensorDesc(type, rank, dims, ACL_FORMAT_ND), NULL, NULL};
    size_t size = aclGetTensorDescSize(made.desc);
    made.address = onDevice(bytes, size);
    made.buffer = aclCreateDataBuffer(made.address, size);
    return made;
}

/* Queued work keeps its own copy: descriptors may be destroyed before it ran. */
static void forget(struct tensor *gone)
{
    aclDestroyTensorDesc(gone->desc);
    OK(aclDestroyDataBuffer(gone->buffer));
}

static aclError run(const char *type, int count, struct tensor *in, struct tensor *out, const aclopAttr *attributes)
{
    const aclTensorDesc *descs[3];
    const aclDataBuffer *buffers[3];
    for (int i = 0; i < count; i++) {
        descs[i] = in[i].desc;
        buffers[i] = in[i].buffer;
    }
    const aclTensorDesc *out_desc = out->desc;
    return aclopCompileAndExecute(type, count, descs, buffers, 1, &out_desc, &out->buffer, attributes, ACL_ENGINE_SYS,
                                  ACL_COMPILE_SYS, NULL, stream);
}

static void resultsFlowThroughTheStream(void)
{
    const int64_t dims[] = {2, 3}, row[] = {3};
    const float left[COUNT] = {1, -2, 3, -4, 5, -6}, right[] = {10, 20, 30}, zero[COUNT] = {0};
    const float expected[COUNT] = {11, 18, 33, 6, 25, 24};
    float now[COUNT];
    struct tensor in[] = {tensor(ACL_FLOAT, 2, dims, left), tensor(ACL_FLOAT, 1, row, right)};
    struct tensor sum = tensor(ACL_FLOAT, 2, dims, zero), again = tensor(ACL_FLOAT, 2, dims, zero);
    OK(run("Add", 2, in, &sum, NULL));
    OK(run("Relu", 1, &sum, &again, NULL));
    forget(&in[0]), forget(&in[1]), forget(&sum), forget(&again);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(now, sizeof now, again.address, sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("clients: operators compute", memcmp(now, expected, sizeof now) == 0);
}

static void handlesRunOften(void)
{
    const int64_t dims[] = {3};
    float now[3] = {-1, 2, -3};
    struct tensor in = tensor(ACL_FLOAT, 1, dims, now), out = tensor(ACL_FLOAT, 1, dims, now);
    const aclTensorDesc *in_desc = in.desc, *out_desc = out.desc;
    const aclDataBuffer *input = in.buffer;
    aclopHandle *handle;
    OK(aclopCreateHandle("Relu", 1, &in_desc, 1, &out_desc, NULL, &handle));
    for (int i = 0; i < 2; i++) {
        OK(aclopExecWithHandle(handle, 1, &input, 1, &out.buffer, stream));
    }
    aclopDestroyHandle(handle);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(now, sizeof now, out.address, sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("clients: operators compute", now[0] == 0 && now[1] == 2 && now[2] == 0);
    forget(&in), forget(&out);
}

static void theLargestIsFound(void)
{
    const int64_t dims[] = {2, 3}, one[] = {1}, columns[] = {3};
    const float values[COUNT] = {1, 5, -3, 4, 5, 2};
    const int32_t expected[3] = {1, 0, 1}, zero[3] = {9, 9, 9}, axis = 0;
    int32_t now[3];
    struct tensor in = tensor(ACL_FLOAT, 2, dims, values), out = tensor(ACL_INT32, 1, columns, zero);
    aclTensorDesc *along = aclCreateTensorDesc(ACL_INT32, 1, one, ACL_FORMAT_ND);
    aclDataBuffer *nothing = aclCreateDataBuffer(NULL, 0);
    const aclTensorDesc *out_desc = out.desc, *descs[] = {in.desc, along};
    const aclDataBuffer *buffers[] = {in.buffer, nothing};
    EXPECT_CODE("ArgMaxV2: the axis is a constant", ACL_ERROR_OP_INPUT_NOT_MATCH,
                aclopCompileAndExecute("ArgMaxV2", 2, descs, buffers, 1, &out_desc, &out.buffer, NULL, ACL_ENGINE_SYS,
                                       ACL_COMPILE_SYS, NULL, stream));
    OK(aclSetTensorConst(along, (void *)&axis, sizeof axis));
    OK(aclopCompileAndExecute("ArgMaxV2", 2, descs, buffers, 1, &out_desc, &out.buffer, NULL, ACL_ENGINE_SYS,
                              ACL_COMPILE_SYS, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(now, sizeof now, out.address, sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("ArgMaxV2: the first of equal ones", memcmp(now, expected, sizeof now) == 0);
    aclDestroyTensorDesc(along);
    OK(aclDestroyDataBuffer(nothing));
    forget(&in), forget(&out);
}

/* As MindSpore's nn.Conv2d and ReduceMean call them. */
static void biasesAreAddedAndMeansTaken(void)
{
    const int64_t dims[] = {1, 2, 3}, two[] = {2}, one[] = {1}, kept[] = {1, 2, 1};
    const float values[COUNT] = {1, 2, 3, 4, 5, 6}, bias[2] = {10, 20}, zero[COUNT] = {0};
    const float sums[COUNT] = {11, 12, 13, 24, 25, 26}, means[2] = {2, 5};
    float now[COUNT];
    struct tensor in[] = {tensor(ACL_FLOAT, 3, dims, values), tensor(ACL_FLOAT, 1, two, bias)};
    struct tensor sum = tensor(ACL_FLOAT, 3, dims, zero), mean = tensor(ACL_FLOAT, 3, kept, zero);
    aclopAttr *attributes = aclopCreateAttr();
    EXPECT_CODE("BiasAdd: by default the channels are last", ACL_ERROR_OP_INPUT_NOT_MATCH, run("BiasAdd", 2, in, &sum, attributes));
    OK(aclopSetAttrString(attributes, "data_format", "NCHW"));
    OK(run("BiasAdd", 2, in, &sum, attributes));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(now, sizeof now, sum.address, sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("BiasAdd", memcmp(now, sums, sizeof now) == 0);

    const int64_t last = -1, none = 3;
    aclTensorDesc *along = aclCreateTensorDesc(ACL_INT64, 1, one, ACL_FORMAT_ND);
    aclDataBuffer *nothing = aclCreateDataBuffer(NULL, 0);
    const aclTensorDesc *mean_desc = mean.desc, *descs[] = {in[0].desc, along};
    const aclDataBuffer *buffers[] = {in[0].buffer, nothing};
    OK(aclopSetAttrBool(attributes, "keep_dims", 1));
    OK(aclSetTensorConst(along, (void *)&none, sizeof none));
    EXPECT_CODE("ReduceMean: no such axis", ACL_ERROR_OP_INPUT_NOT_MATCH,
                aclopCompileAndExecute("ReduceMean", 2, descs, buffers, 1, &mean_desc, &mean.buffer, attributes, ACL_ENGINE_SYS,
                                       ACL_COMPILE_SYS, NULL, stream));
    OK(aclSetTensorConst(along, (void *)&last, sizeof last));
    OK(aclopCompileAndExecute("ReduceMean", 2, descs, buffers, 1, &mean_desc, &mean.buffer, attributes, ACL_ENGINE_SYS,
                              ACL_COMPILE_SYS, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(now, sizeof means, mean.address, sizeof means, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("ReduceMean", memcmp(now, means, sizeof means) == 0);
    aclopDestroyAttr(attributes);
    aclDestroyTensorDesc(along);
    OK(aclDestroyDataBuffer(nothing));
    forget(&in[0]), forget(&in[1]), forget(&sum), forget(&mean);
}

static void productsAgree(void)
{
    const aclFloat16 one = aclFloatToFloat16(1), two = aclFloatToFloat16(2);
    aclFloat16 a[6], b[6], c[4] = {one, one, one, one}, now[4];
    const float expected[4] = {2 * 22 + 1, 2 * 28 + 1, 2 * 49 + 1, 2 * 64 + 1};
    for (int i = 0; i < 6; i++) {
        a[i] = b[i] = aclFloatToFloat16((float)i + 1);
    }
    void *matrix_a = onDevice(a, sizeof a), *matrix_b = onDevice(b, sizeof b), *matrix_c = onDevice(c, sizeof c);
    void *alpha = onDevice(&two, sizeof two), *beta = onDevice(&one, sizeof one);
    OK(aclblasGemmEx(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, alpha, matrix_a, -1, ACL_FLOAT16, matrix_b, -1,
                     ACL_FLOAT16, beta, matrix_c, -1, ACL_FLOAT16, ACL_COMPUTE_HIGH_PRECISION, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(now, sizeof now, matrix_c, sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < 4; i++) {
        EXPECT("cblas: alpha A B + beta C", aclFloat16ToFloat(now[i]) == expected[i]);
    }
}

static void misfitsAreRefusedAtTheCall(void)
{
    const int64_t dims[] = {2, 3}, other[] = {4};
    const float zero[COUNT] = {0};
    struct tensor in[] = {tensor(ACL_FLOAT, 2, dims, zero), tensor(ACL_FLOAT, 1, other, zero)};
    struct tensor out = tensor(ACL_FLOAT, 2, dims, zero);
    EXPECT_CODE("4", ACL_ERROR_OP_NOT_FOUND, run("NoSuchOperator", 1, in, &out, NULL));
    EXPECT_CODE("4", ACL_ERROR_OP_INPUT_NOT_MATCH, run("Add", 2, in, &out, NULL));
    EXPECT_CODE("4", ACL_ERROR_OP_INPUT_NOT_MATCH, run("Add", 1, in, &out, NULL));
    EXPECT_CODE("4", ACL_ERROR_OP_OUTPUT_NOT_MATCH, run("Relu", 1, &in[1], &out, NULL));
    OK(aclrtSynchronizeStream(stream));
}

/* A core that accesses an unmapped address traps, and the host gets the error at its next wait. */
static void memoryGoneWhenItRunsIsATrap(void)
{
    const int64_t dims[] = {2, 3};
    const float zero[COUNT] = {0};
    struct tensor in = tensor(ACL_FLOAT, 2, dims, zero), out = tensor(ACL_FLOAT, 2, dims, zero);
    sem_t gate;
    sem_init(&gate, 0, 0);
    OK(aclrtLaunchHostFunc(stream, waitForGate, &gate));
    OK(run("Relu", 1, &in, &out, NULL));
    OK(aclrtFree(in.address));
    sem_post(&gate);
    EXPECT_CODE("5.2: nothing waits for queued work", ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    OK(aclUpdateDataBuffer(in.buffer, (void *)zero, sizeof zero));
    OK(run("Relu", 1, &in, &out, NULL));
    EXPECT_CODE("host memory is no device memory", ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    OK(aclSetTensorPlaceMent(in.desc, ACL_MEMTYPE_HOST));
    OK(run("Relu", 1, &in, &out, NULL));
    OK(aclrtSynchronizeStream(stream));
}

enum { WIDE_IN = 7, WIDE_OUT = 6 };

/* One step of a GRU of one unit with weights of zero: the gates are a half, and so is what remains of the state. */
static aclError step(const char *order, int64_t hidden, int outputs, float *result)
{
    const int64_t x_dims[] = {1, 1, 1}, w_dims[] = {1, 3}, state[] = {1, 1}, out_dims[] = {1, 1, hidden};
    const float zeros[8] = {0}, one[] = {1}, biases[] = {0, 0, 0, 0}, first[] = {4};
    struct tensor in[WIDE_IN] = {tensor(ACL_FLOAT, 3, x_dims, one), tensor(ACL_FLOAT, 2, w_dims, zeros), tensor(ACL_FLOAT, 2, w_dims, zeros),
                                 tensor(ACL_FLOAT, 1, &w_dims[1], biases), tensor(ACL_FLOAT, 1, &w_dims[1], biases)};
    in[5] = (struct tensor){aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, NULL, ACL_FORMAT_UNDEFINED), aclCreateDataBuffer(NULL, 0), NULL};
    in[6] = tensor(ACL_FLOAT, 2, state, first);
    const aclTensorDesc *in_descs[WIDE_IN], *out_descs[WIDE_OUT];
    const aclDataBuffer *in_buffers[WIDE_IN];
    aclDataBuffer *out_buffers[WIDE_OUT];
    struct tensor out[WIDE_OUT];
    for (int i = 0; i < WIDE_IN; i++) {
        in_descs[i] = in[i].desc;
        in_buffers[i] = in[i].buffer;
    }
    for (int i = 0; i < WIDE_OUT; i++) {
        out[i] = tensor(ACL_FLOAT, 3, out_dims, zeros);
        out_descs[i] = out[i].desc;
        out_buffers[i] = out[i].buffer;
    }
    aclopAttr *attributes = aclopCreateAttr();
    OK(aclopSetAttrString(attributes, "gate_order", order));
    aclError code = aclopCompileAndExecute("DynamicGRUV2", WIDE_IN, in_descs, in_buffers, outputs, out_descs, out_buffers, attributes, ACL_ENGINE_SYS,
                                           ACL_COMPILE_SYS, NULL, stream);
    aclopDestroyAttr(attributes);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(result, sizeof *result, out[1].address, sizeof *result, ACL_MEMCPY_DEVICE_TO_HOST));
    return code;
}

/* As MindSpore runs `Identity`. */
static void theSecondFormTakesTheSameArguments(void)
{
    const int64_t dims[] = {COUNT};
    const float values[COUNT] = {1, -2, 3, -4, 5, -6}, zero[COUNT] = {0};
    struct tensor in = tensor(ACL_FLOAT, 1, dims, values), out = tensor(ACL_FLOAT, 1, dims, zero);
    aclopAttr *attributes = aclopCreateAttr();
    const aclDataType types[] = {ACL_FLOAT};
    const char *names[] = {"x"};
    OK(aclopSetAttrListDataType(attributes, "types", 1, types));
    OK(aclopSetAttrListString(attributes, "names", 1, names));
    OK(aclopSetCompileFlag(ACL_OP_COMPILE_FUZZ));
    EXPECT_CODE("flags", ACL_ERROR_INVALID_PARAM, aclopSetCompileFlag((aclOpCompileFlag)2));
    OK(aclopCompileAndExecuteV2("Identity", 1, &in.desc, &in.buffer, 1, &out.desc, &out.buffer, attributes, ACL_ENGINE_SYS,
                                ACL_COMPILE_SYS, NULL, stream));
    float now[COUNT];
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(now, sizeof now, out.address, sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("Identity copies", memcmp(now, values, sizeof now) == 0);
    aclopDestroyAttr(attributes);
    forget(&in), forget(&out);
}

static void severalResultsAreComputedAndMisfitsRefused(void)
{
    float state = 0;
    OK(step("rzh", 1, WIDE_OUT, &state));
    EXPECT("GRU: an update gate of a half keeps half of the state", state == 2);
    EXPECT_CODE("an order of gates that names none", ACL_ERROR_OP_INPUT_NOT_MATCH, step("abc", 1, WIDE_OUT, &state));
    EXPECT_CODE("weights of another size", ACL_ERROR_OP_INPUT_NOT_MATCH, step("rzh", 2, WIDE_OUT, &state));
    EXPECT_CODE("a result is missing", ACL_ERROR_OP_OUTPUT_NOT_MATCH, step("rzh", 1, WIDE_OUT - 1, &state));
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    resultsFlowThroughTheStream();
    handlesRunOften();
    theLargestIsFound();
    biasesAreAddedAndMeansTaken();
    productsAgree();
    misfitsAreRefusedAtTheCall();
    memoryGoneWhenItRunsIsATrap();
    theSecondFormTakesTheSameArguments();
    severalResultsAreComputedAndMisfitsRefused();
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
