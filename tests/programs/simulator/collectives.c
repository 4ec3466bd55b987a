//@ run
//@ run: ACLSIM_STREAM_DELAY_US=200
//@ link: hccl
/* Collectives between four devices of one process move the right bytes, in stream order. */
#include "acl/error_codes/rt_error_codes.h"
#include "expect.h"
#include "hccl/hccl.h"

enum { COUNT = 4 };

static HcclComm comms[COUNT];
static aclrtStream streams[COUNT];
static float *give[COUNT], *take[COUNT];

static void on(int rank)
{
    OK(aclrtSetDevice(rank));
}

static void fill(void)
{
    for (int rank = 0; rank < COUNT; rank++) {
        float values[COUNT];
        for (int i = 0; i < COUNT; i++) {
            values[i] = (float)(10 * rank + i);
        }
        on(rank);
        OK(aclrtMemcpy(give[rank], sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE));
        OK(aclrtMemset(take[rank], 2 * sizeof values, 0, 2 * sizeof values));
    }
}

static void expectTaken(int rank, const float *wanted, int count)
{
    float now[2 * COUNT];
    on(rank);
    OK(aclrtSynchronizeStream(streams[rank]));
    OK(aclrtMemcpy(now, sizeof now, take[rank], sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("3.14: HcclAllReduce and family", memcmp(now, wanted, sizeof *now * (size_t)count) == 0);
}

#define EACH(rank, call) \
    for (int rank = 0; rank < COUNT; rank++) { \
        on(rank); \
        OK(call); \
    }

static void collectivesMoveBytes(void)
{
    EACH(r, HcclAllReduce(give[r], take[r], COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[r], streams[r]));
    for (int rank = 0; rank < COUNT; rank++) {
        expectTaken(rank, (float[]){60, 64, 68, 72}, 4);
    }
    fill();
    EACH(r, HcclReduce(give[r], r == 2 ? take[r] : NULL, 2, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_MAX, 2, comms[r],
                       streams[r]));
    expectTaken(2, (float[]){30, 31, 0}, 3);
    fill();
    EACH(r, HcclBroadcast(give[r], 2, HCCL_DATA_TYPE_FP32, 1, comms[r], streams[r]));
    EACH(r, HcclAllGather(give[r], take[r], 1, HCCL_DATA_TYPE_FP32, comms[r], streams[r]));
    expectTaken(3, (float[]){10, 10, 10, 10}, 4);
    fill();
    EACH(r, HcclReduceScatter(give[r], take[r], 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[r], streams[r]));
    expectTaken(1, (float[]){64, 0}, 2);
    fill();
    EACH(r, HcclScatter(r == 3 ? give[r] : NULL, take[r], 1, HCCL_DATA_TYPE_FP32, 3, comms[r], streams[r]));
    expectTaken(2, (float[]){32, 0}, 2);
    fill();
    EACH(r, HcclAlltoAll(give[r], 1, HCCL_DATA_TYPE_FP32, take[r], 1, HCCL_DATA_TYPE_FP32, comms[r], streams[r]));
    expectTaken(1, (float[]){1, 11, 21, 31}, 4);
    fill();
    const uint64_t counts[] = {1, 1, 1, 1}, backwards[] = {3, 2, 1, 0};
    EACH(r, HcclAlltoAllV(give[r], counts, backwards, HCCL_DATA_TYPE_FP32, take[r], counts, backwards,
                          HCCL_DATA_TYPE_FP32, comms[r], streams[r]));
    expectTaken(0, (float[]){33, 23, 13, 3}, 4);
}

static void messagesGoFromRankToRank(void)
{
    fill();
    on(0);
    OK(HcclSend(give[0], 3, HCCL_DATA_TYPE_FP32, 2, comms[0], streams[0]));
    on(2);
    OK(HcclRecv(take[2], 3, HCCL_DATA_TYPE_FP32, 0, comms[2], streams[2]));
    expectTaken(2, (float[]){0, 1, 2, 0}, 4);
    EACH(r, HcclBarrier(comms[r], streams[r]));
    EACH(r, aclrtSynchronizeStream(streams[r]));
}

static void memoryGoneWhenItRunsIsATrap(void)
{
    fill();
    sem_t gate;
    sem_init(&gate, 0, 0);
    /* Each stream: a rank reads its memory when it gets there, whether the others have come or not. */
    EACH(r, aclrtLaunchHostFunc(streams[r], waitForGate, &gate));
    EACH(r, HcclAllReduce(give[r], take[r], COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[r], streams[r]));
    OK(aclrtFree(give[1]));
    EACH(r, sem_post(&gate));
    for (int rank = 0; rank < COUNT; rank++) {
        on(rank);
        EXPECT_CODE("5.2: nothing waits for queued work", ACL_ERROR_RT_AICORE_EXCEPTION,
                    aclrtSynchronizeStream(streams[rank]));
    }
}

int main(void)
{
    int32_t devices[COUNT] = {0, 1, 2, 3};
    uint32_t number;
    OK(aclInit(NULL));
    OK(HcclCommInitAll(COUNT, devices, comms));
    OK(HcclGetRankSize(comms[0], &number));
    EXPECT("3.14", number == COUNT);
    OK(HcclGetRankId(comms[3], &number));
    EXPECT("3.14", number == 3);
    for (int rank = 0; rank < COUNT; rank++) {
        on(rank);
        OK(aclrtCreateStream(&streams[rank]));
        OK(aclrtMalloc((void **)&give[rank], COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMalloc((void **)&take[rank], 2 * COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    }
    fill();
    collectivesMoveBytes();
    messagesGoFromRankToRank();
    EXPECT_CODE("3.14", HCCL_E_PTR,
                HcclAllReduce(NULL, take[0], 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[0], streams[0]));
    EXPECT_CODE("3.14", HCCL_E_NOT_SUPPORT, HcclBroadcast(give[0], 1, HCCL_DATA_TYPE_INT128, 0, comms[0], streams[0]));
    memoryGoneWhenItRunsIsATrap();
    for (int rank = 0; rank < COUNT; rank++) {
        OK(HcclCommDestroy(comms[rank]));
    }
    return 0;
}
