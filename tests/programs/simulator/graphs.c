//@ run
/* Graphs after the capture: several streams in one, tasks one by one, groups that are exchanged, conditions. Sources: the capture
 * of the runtime (feature/aclgraph) and the API reference of CANN 9. */
#include "expect.h"

static aclrtStream one, two;
static uint32_t *block;

static uint32_t word(int at)
{
    uint32_t value;
    OK(aclsimRead(block + at, &value, sizeof value));
    return value;
}

/* A stream joins by its wait for a record of the capture, and must be waited for before the end. */
static void severalStreams(void)
{
    aclrtEvent fork, join;
    aclmdlRI graph;
    aclmdlRICaptureStatus status;
    OK(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC));
    OK(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC));
    OK(aclmdlRICaptureBegin(one, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtRecordEvent(fork, one));
    OK(aclrtStreamWaitEvent(two, fork));
    OK(aclmdlRICaptureGetInfo(two, &status, NULL));
    EXPECT("stream_capture.cc: joined", status == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    OK(aclrtMemsetAsync(block, 4, 1, 4, two));
    EXPECT_CODE("3.13", ACL_ERROR_RT_STREAM_CAPTURED, aclrtSynchronizeStream(two));
    OK(aclrtRecordEvent(join, two));
    OK(aclrtStreamWaitEvent(one, join));
    OK(aclrtMemcpyAsync(block + 1, 4, block, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, one));
    OK(aclmdlRICaptureEnd(one, &graph));
    OK(aclrtSynchronizeStream(two));
    for (int i = 0; i < 20; i++) {
        OK(aclrtMemset(block, 64, 0, 64));
        OK(aclmdlRIExecuteAsync(graph, two));
        OK(aclrtSynchronizeStream(two));
        EXPECT("the edge holds in every run", word(1) == 0x01010101);
    }
    OK(aclmdlRIDestroy(graph));

    OK(aclmdlRICaptureBegin(one, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtRecordEvent(fork, one));
    OK(aclrtStreamWaitEvent(two, fork));
    OK(aclrtMemsetAsync(block, 4, 1, 4, two));
    EXPECT_CODE("stream_capture.cc: a stream that nobody waited for", ACL_ERROR_RT_STREAM_UNJOINED,
                aclmdlRICaptureEnd(one, &graph));
    OK(aclrtSynchronizeStream(two));
    OK(aclrtDestroyEvent(fork));
    OK(aclrtDestroyEvent(join));
}

static void namesAndTasks(void)
{
    aclmdlRI graph;
    aclrtStream streams[2];
    aclmdlRITask tasks[4];
    uint32_t count = 0, id, stream_count = 0;
    aclmdlRITaskType type;
    char name[16];
    OK(aclmdlRICaptureBegin(one, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtMemsetAsync(block, 4, 2, 4, one));
    OK(aclrtValueWrite(block + 2, 7, 0, one));
    OK(aclmdlRICaptureEnd(one, &graph));
    OK(aclmdlRISetName(graph, "step"));
    OK(aclmdlRIGetName(graph, sizeof name, name));
    EXPECT("model.cc", strcmp(name, "step") == 0);
    EXPECT_CODE("model.cc: no room", ACL_ERROR_RT_PARAM_INVALID, aclmdlRIGetName(graph, 2, name));
    OK(aclmdlRIGetId(graph, &id));
    OK(aclmdlRIGetStreams(graph, NULL, &stream_count));
    EXPECT("a count without room", stream_count == 1);
    OK(aclmdlRIGetStreams(graph, streams, &stream_count));
    OK(aclmdlRIGetTasksByStream(streams[0], NULL, &count));
    EXPECT("both tasks", count == 2);
    OK(aclmdlRIGetTasksByStream(streams[0], tasks, &count));
    OK(aclmdlRITaskGetType(tasks[1], &type));
    EXPECT("a value", type == ACL_MODEL_RI_TASK_VALUE_WRITE);
    aclmdlRITaskParams params = {0};
    OK(aclmdlRITaskGetParams(tasks[1], &params));
    EXPECT("what it writes", params.valueWriteTaskParams.devAddr == block + 2 && params.valueWriteTaskParams.value == 7);
    params.valueWriteTaskParams.value = 9;
    OK(aclmdlRITaskSetParams(tasks[1], &params));
    OK(aclmdlRIUpdate(graph));
    OK(aclmdlRIExecuteAsync(graph, one));
    OK(aclrtSynchronizeStream(one));
    EXPECT("what it writes now", word(2) == 9);
    OK(aclmdlRITaskDisable(tasks[1]));
    OK(aclmdlRIUpdate(graph));
    OK(aclrtMemset(block, 64, 0, 64));
    OK(aclmdlRIExecuteAsync(graph, one));
    OK(aclrtSynchronizeStream(one));
    EXPECT("no more", word(2) == 0);
    OK(aclmdlRIDestroy(graph));
}

static void addOne(void *args)
{
    uint32_t *at = *(uint32_t **)args, value;
    aclsimLoad(at, &value, sizeof value);
    value++;
    aclsimStore(at, &value, sizeof value);
}

/* Launching between the two calls replaces the tasks of a group, in order. */
static void groups(void)
{
    aclmdlRI graph;
    aclrtTaskGrp group;
    uint32_t *first = block, *second = block + 4;
    OK(aclmdlRICaptureBegin(one, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclmdlRICaptureTaskGrpBegin(one));
    OK(aclrtLaunchKernel((aclrtFuncHandle)addOne, 1, &first, sizeof first, one));
    OK(aclmdlRICaptureTaskGrpEnd(one, &group));
    OK(aclmdlRICaptureEnd(one, &graph));
    OK(aclrtMemset(block, 64, 0, 64));
    OK(aclmdlRIExecuteAsync(graph, one));
    OK(aclmdlRICaptureTaskUpdateBegin(two, group));
    OK(aclrtLaunchKernel((aclrtFuncHandle)addOne, 1, &second, sizeof second, two));
    OK(aclmdlRICaptureTaskUpdateEnd(two));
    OK(aclrtSynchronizeStream(one));
    OK(aclmdlRIExecuteAsync(graph, one));
    OK(aclrtSynchronizeStream(one));
    EXPECT("once with each argument", word(0) + word(4) == 2 && word(4) >= 1);
    OK(aclmdlRIDestroy(graph));
}

/* A condition's value decides which of its graphs runs, or how often. */
static void conditions(void)
{
    aclmdlRI graph, part;
    aclmdlRICondHandle condition;
    uint64_t *value;
    aclmdlRICondTaskParams params = {.type = ACL_MODEL_RI_COND_TYPE_IF, .size = 1, .modelRIArray = &part};
    OK(aclmdlRICaptureBegin(one, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclmdlRICaptureGetInfo(one, NULL, &graph));
    OK(aclmdlRICondHandleCreate(graph, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &condition));
    OK(aclmdlRICondHandleGetCondPtr(condition, &value));
    params.handle = condition;
    OK(aclmdlRIAddCondTask(params, one, 0));
    OK(aclmdlRICaptureToModelRIBegin(two, part, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtMemsetAsync(block + 8, 4, 3, 4, two));
    OK(aclmdlRICaptureEnd(two, &part));
    OK(aclmdlRICaptureEnd(one, &graph));
    OK(aclrtMemset(block, 64, 0, 64));
    OK(aclmdlRIExecuteAsync(graph, one));
    OK(aclrtSynchronizeStream(one));
    EXPECT("the default is true", word(8) == 0x03030303);
    OK(aclmdlRIDestroy(graph));
}

int main(void)
{
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStream(&two));
    OK(aclrtMalloc((void **)&block, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(block, 256, 0, 256));
    severalStreams();
    namesAndTasks();
    groups();
    conditions();
    return 0;
}
