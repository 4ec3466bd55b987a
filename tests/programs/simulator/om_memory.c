//@ run
/* Memory of offline models: how much a load needs, which buffers an execution accepts, and which bytes it touches. Facts:
 * om_format 7; that outputs are a function of inputs and weights is ours (simulator/README.md). */
#include "om_plans.h"

enum { LEAST_WORK = PLAIN_WORK - PLAIN_ZERO_COPY, WEIGHTS = 96 };

static struct bytes file;

static aclError loadWith(void *work, size_t work_size, void *weights, size_t weight_size, uint32_t *id)
{
    return aclmdlLoadFromMemWithMem(file.data, file.length, id, work, work_size, weights, weight_size);
}

static void loads(void)
{
    uint32_t id;
    size_t live = aclsimLiveBlocks(0);
    void *work = deviceBlock(PLAIN_WORK), *weights = deviceBlock(WEIGHTS);
    OK(aclmdlLoadFromMem(file.data, file.length, &id));
    EXPECT("7: a block for work, one for weights", aclsimLiveBlocks(0) == live + 4);
    OK(aclmdlUnload(id));
    EXPECT_CODE("7", ACL_ERROR_GE_PARAM_INVALID, loadWith(work, LEAST_WORK - 1, weights, WEIGHTS, &id));
    EXPECT_CODE("7", ACL_ERROR_GE_PARAM_INVALID, loadWith(work, PLAIN_WORK, weights, WEIGHTS - 1, &id));
    OK(loadWith(work, LEAST_WORK, weights, WEIGHTS, &id));
    EXPECT("7: weights are copied", aclsimLiveBlocks(0) == live + 2);
    uint8_t copy[WEIGHTS];
    OK(aclsimRead(weights, copy, WEIGHTS));
    EXPECT("7", memcmp(copy, plain_weights, WEIGHTS) == 0);
    OK(aclmdlUnload(id));
    OK(loadWith(NULL, 0, weights, WEIGHTS, &id));
    EXPECT("7: what is not given is its own", aclsimLiveBlocks(0) == live + 3);
    OK(aclmdlUnload(id));
    OK(aclrtFree(work));
    OK(aclrtFree(weights));
    EXPECT("7", aclsimLiveBlocks(0) == live);
}

/* More than the device has: nothing is leaked. */
static void isTooLarge(void)
{
    uint32_t id;
    size_t live = aclsimLiveBlocks(0);
    struct om_attr model[] = {OM_INT("memory_size", 1ll << 45), {.name = NULL}};
    struct om_plan plan = plainPlan('D');
    plan.model = model;
    struct bytes large = omWrite(&plan);
    EXPECT_CODE("InitFeatureMapAndP2PMem", ACL_ERROR_GE_MEMORY_ALLOCATION, aclmdlLoadFromMem(large.data, large.length, &id));
    EXPECT("7", aclsimLiveBlocks(0) == live);
    free(large.data);
}

static void sparesZeroCopy(void)
{
    uint32_t id;
    size_t before, after, total;
    void *bytes = file.data;
    aclmdlConfigHandle *handle = aclmdlCreateConfigHandle();
    EXPECT_CODE("load type", ACL_ERROR_INVALID_PARAM, aclmdlLoadWithConfig(handle, &id));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_LOAD_TYPE_SIZET, &(size_t){ACL_MDL_LOAD_FROM_MEM}, sizeof(size_t)));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_MEM_ADDR_PTR, &bytes, sizeof bytes));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_MEM_SIZET, &file.length, sizeof file.length));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_WORKSPACE_MEM_OPTIMIZE, &(size_t){1}, sizeof(size_t)));
    EXPECT_CODE("config", ACL_ERROR_INVALID_PARAM,
                aclmdlSetConfigOpt(handle, ACL_MDL_WORKSPACE_MEM_OPTIMIZE, &(size_t){2}, sizeof(size_t)));
    EXPECT_CODE("config", ACL_ERROR_INVALID_PARAM,
                aclmdlSetConfigOpt(handle, ACL_MDL_LOAD_TYPE_SIZET, &(size_t){7}, sizeof(size_t)));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    OK(aclmdlLoadWithConfig(handle, &id));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    EXPECT("7: reuseZeroCopy", after <= before);
    OK(aclmdlUnload(id));
    OK(aclmdlDestroyConfigHandle(handle));
}

static aclError runs(uint32_t id, void *in, size_t in_size, void *out, size_t out_size)
{
    aclmdlDataset *input = datasetOf(in, in_size), *output = datasetOf(out, out_size);
    aclError code = aclmdlExecute(id, input, output);
    forget(input), forget(output);
    return code;
}

static void checksBuffers(void)
{
    uint32_t id;
    float numbers[5];
    void *in = deviceBlock(PLAIN_IN), *out = deviceBlock(4);
    OK(aclmdlLoadFromMem(file.data, file.length, &id));
    OK(aclrtMemset(in, PLAIN_IN, 1, PLAIN_IN));
    aclmdlDataset *two = datasetOf(in, PLAIN_IN), *output = datasetOf(out, PLAIN_OUT);
    OK(aclmdlAddDatasetBuffer(two, aclCreateDataBuffer(in, PLAIN_IN)));
    EXPECT_CODE("7: number of buffers", ACL_ERROR_GE_FAILURE, aclmdlExecute(id, two, output));
    EXPECT_CODE("7: number of buffers", ACL_ERROR_GE_FAILURE, aclmdlExecute(id, output, two));
    EXPECT_CODE("7: no such model", ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, aclmdlExecute(id + 5, two, output));
    forget(two), forget(output);
    EXPECT_CODE("7: 64 less than padded", ACL_SUCCESS, runs(id, in, 96 - 64, out, 4));
    EXPECT_CODE("7: 65 less", ACL_ERROR_GE_FAILURE, runs(id, in, 96 - 65, out, 4));
    OK(aclsimRead(out, numbers, sizeof numbers));
    EXPECT("7: the true size is written where 4 bytes were accepted", numbers[4] >= 0 && numbers[4] < 1 && numbers[4] != 0);
    OK(aclmdlUnload(id));
    OK(aclrtFree(in));
    OK(aclrtFree(out));
}

static void answer(uint32_t id, void *in, float numbers[5])
{
    void *out = deviceBlock(PLAIN_OUT);
    OK(runs(id, in, PLAIN_IN, out, PLAIN_OUT));
    OK(aclsimRead(out, numbers, PLAIN_OUT));
    OK(aclrtFree(out));
}

static void touchesAll(void)
{
    uint32_t id, other;
    float first[5], again[5];
    uint8_t edge[2];
    char *work = deviceBlock(PLAIN_WORK), *weights = deviceBlock(WEIGHTS), *in = deviceBlock(PLAIN_IN);
    OK(loadWith(work, PLAIN_WORK, weights, WEIGHTS, &id));
    OK(aclmdlLoadFromMem(file.data, file.length, &other));
    OK(aclrtMemset(in, PLAIN_IN, 0, PLAIN_IN));
    OK(aclrtMemset(work, PLAIN_WORK, 0, PLAIN_WORK));
    answer(id, in, first);
    OK(aclsimRead(work, edge, 1));
    OK(aclsimRead(work + PLAIN_WORK - 1, edge + 1, 1));

    EXPECT("7: work from its first byte to its last", edge[0] != 0 && edge[1] != 0);
    answer(other, in, again);
    EXPECT("README: the same model and inputs give the same", memcmp(first, again, sizeof first) == 0);
    for (int i = 0; i < 5; i++) {
        EXPECT("README: fractions of 1", first[i] >= 0 && first[i] < 1);
    }
    OK(aclrtMemset(in + PLAIN_IN - 1, 1, 1, 1));
    answer(id, in, again);
    EXPECT("7: the last input byte is read", memcmp(first, again, sizeof first) != 0);
    OK(aclrtMemset(in + PLAIN_IN - 1, 1, 0, 1));
    OK(aclrtMemset(weights + WEIGHTS - 1, 1, 9, 1));
    answer(id, in, again);
    EXPECT("7: the last weight is read", memcmp(first, again, sizeof first) != 0);
    OK(aclmdlUnload(id));
    OK(aclmdlUnload(other));
    OK(aclrtFree(work));
    OK(aclrtFree(weights));
    OK(aclrtFree(in));
}

/* A block that is freed when the task runs: on the stream, after a host function that releases it. The gate keeps that
 * function from running before the task is queued, which would be another mistake. */
static void *gone;

static void release(void *unused)
{
    (void)unused;
    OK(aclrtFree(gone));
}

static void traps(void)
{
    uint32_t id;
    sem_t gate;
    aclrtStream stream;
    sem_init(&gate, 0, 0);
    OK(aclrtCreateStream(&stream));
    for (int which = 0; which < 4; which++) {
        void *block[] = {deviceBlock(64 << 20), deviceBlock(WEIGHTS), deviceBlock(PLAIN_IN), deviceBlock(PLAIN_OUT)};
        OK(loadWith(block[0], PLAIN_WORK, block[1], WEIGHTS, &id));
        aclmdlDataset *input = datasetOf(block[2], PLAIN_IN), *output = datasetOf(block[3], PLAIN_OUT);
        OK(aclmdlExecuteAsync(id, input, output, stream));
        OK(aclrtSynchronizeStream(stream));
        gone = block[which];
        OK(aclrtLaunchHostFunc(stream, waitForGate, &gate));
        OK(aclrtLaunchHostFunc(stream, release, NULL));
        OK(aclmdlExecuteAsync(id, input, output, stream));
        sem_post(&gate);
        EXPECT_CODE("7: 507015 for a block that is gone", ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
        EXPECT_CODE("7", ACL_ERROR_RT_AICORE_EXCEPTION, aclmdlExecute(id, input, output));
        OK(aclmdlUnload(id));
        forget(input), forget(output);
        for (int i = 0; i < 4; i++) {
            EXPECT("set-up", i == which || aclrtFree(block[i]) == ACL_SUCCESS);
        }
    }
    OK(aclrtDestroyStream(stream));
}

static void isOrdered(void)
{
    uint32_t id;
    sem_t gate;
    aclrtStream stream;
    float before[5] = {0};
    void *in = deviceBlock(PLAIN_IN), *out = deviceBlock(PLAIN_OUT);
    sem_init(&gate, 0, 0);
    OK(aclrtCreateStream(&stream));
    OK(aclmdlLoadFromMem(file.data, file.length, &id));
    OK(aclrtMemset(in, PLAIN_IN, 0, PLAIN_IN));
    OK(aclrtMemset(out, PLAIN_OUT, 0, PLAIN_OUT));
    OK(aclrtLaunchHostFunc(stream, waitForGate, &gate));
    aclmdlDataset *input = datasetOf(in, PLAIN_IN), *output = datasetOf(out, PLAIN_OUT);
    OK(aclmdlExecuteAsync(id, input, output, stream));
    OK(aclsimRead(out, before, sizeof before));
    EXPECT("stream order", isFilled(before, 0, sizeof before));
    sem_post(&gate);
    OK(aclrtSynchronizeStream(stream));
    OK(aclsimRead(out, before, sizeof before));
    EXPECT("stream order", !isFilled(before, 0, sizeof before));
    forget(output);
    output = datasetOf(NULL, 0);
    aclmdlExecConfigHandle *handle = aclmdlCreateExecConfigHandle();
    EXPECT_CODE("config", ACL_ERROR_INVALID_PARAM,
                aclmdlSetExecConfigOpt(handle, ACL_MDL_STREAM_SYNC_TIMEOUT, &(int32_t){-2}, sizeof(int32_t)));
    OK(aclmdlSetExecConfigOpt(handle, ACL_MDL_STREAM_SYNC_TIMEOUT, &(int32_t){30000}, sizeof(int32_t)));
    OK(aclmdlExecuteV2(id, input, output, stream, handle));
    OK(aclmdlDestroyExecConfigHandle(handle));
    aclDataBuffer *given = aclmdlGetDatasetBuffer(output, 0);
    EXPECT("an output without memory is allocated by a call that waits",
           aclGetDataBufferAddr(given) != NULL && aclGetDataBufferSizeV2(given) == PLAIN_OUT);
    OK(aclrtFree(aclGetDataBufferAddr(given)));
    forget(input), forget(output);
    OK(aclmdlUnload(id));
    OK(aclrtDestroyStream(stream));
    OK(aclrtFree(in));
    OK(aclrtFree(out));
}

int main(void)
{
    file = plainModel('D');
    begin();
    loads();
    isTooLarge();
    sparesZeroCopy();
    checksBuffers();
    touchesAll();
    traps();
    isOrdered();
    end();
    return 0;
}
