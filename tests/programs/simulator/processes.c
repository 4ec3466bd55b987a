//@ run
//@ run: ACLSIM_STREAM_DELAY_US=200 ACLSIM_STREAM_DELAY_SEED=7
//@ link: hccl
/* Collectives and messages between processes: each moves the right bytes, in stream order. */
#include <pthread.h>

#include "forked.h"

enum { COUNT = 3, ROOM = 16 };

static HcclComm comm;
static aclrtStream stream;
static float *give, *take;

/* Rank r gives 10 r, 10 r + 1, … */
static void fill(int rank)
{
    float values[ROOM];
    for (int i = 0; i < ROOM; i++) {
        values[i] = (float)(10 * rank + i);
    }
    OK(aclrtMemcpyAsync(give, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtMemsetAsync(take, sizeof values, 0, sizeof values, stream));
    OK(aclrtSynchronizeStream(stream));
}

static void expect(const float *buffer, const float *wanted, int count)
{
    float now[ROOM];
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(now, sizeof now, buffer, sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("3.14: HcclAllReduce and family", memcmp(now, wanted, sizeof *now * (size_t)count) == 0);
}

#define FLOAT HCCL_DATA_TYPE_FP32
#define OF(rank, ...) ((const float[COUNT][ROOM]){__VA_ARGS__}[rank])

static void reductions(int rank)
{
    fill(rank);
    OK(HcclAllReduce(give, take, 2, FLOAT, HCCL_REDUCE_SUM, comm, stream));
    expect(take, (float[]){30, 33, 0}, 3);
    fill(rank);
    OK(HcclAllReduce(give, give, 2, FLOAT, HCCL_REDUCE_MAX, comm, stream));
    expect(give, (float[]){20, 21}, 2);
    fill(rank);
    OK(HcclReduce(give, rank == 1 ? take : NULL, 2, FLOAT, HCCL_REDUCE_PROD, 1, comm, stream));
    expect(take, OF(rank, {0}, {0, 231}, {0}), 3);
    fill(rank);
    OK(HcclReduceScatter(give, take, 2, FLOAT, HCCL_REDUCE_MIN, comm, stream));
    expect(take, OF(rank, {0, 1}, {2, 3}, {4, 5}), 3);
    fill(rank);
    const uint64_t counts[] = {1, 0, 2}, starts[] = {0, 1, 1};
    OK(HcclReduceScatterV(give, counts, starts, take, counts[rank], FLOAT, HCCL_REDUCE_SUM, comm, stream));
    expect(take, OF(rank, {30}, {0}, {33, 36}), 3);
}

static void copies(int rank)
{
    fill(rank);
    OK(HcclBroadcast(give, 2, FLOAT, 2, comm, stream));
    expect(give, OF(rank, {20, 21, 2}, {20, 21, 12}, {20, 21, 22}), 3);
    fill(rank);
    OK(HcclScatter(rank == 1 ? give : NULL, take, 2, FLOAT, 1, comm, stream));
    expect(take, OF(rank, {10, 11}, {12, 13}, {14, 15}), 3);
    fill(rank);
    OK(HcclAllGather(give, take, 2, FLOAT, comm, stream));
    expect(take, (float[]){0, 1, 10, 11, 20, 21, 0}, 7);
    fill(rank);
    const uint64_t counts[] = {1, 0, 2}, starts[] = {4, 3, 1};
    OK(HcclAllGatherV(give, counts[rank], take, counts, starts, FLOAT, comm, stream));
    expect(take, (float[]){0, 20, 21, 0, 0}, 5);
}

static void exchanges(int rank)
{
    fill(rank);
    OK(HcclAlltoAll(give, 2, FLOAT, take, 2, FLOAT, comm, stream));
    expect(take, OF(rank, {0, 1, 10, 11, 20, 21}, {2, 3, 12, 13, 22, 23}, {4, 5, 14, 15, 24, 25}), 7);
    fill(rank);
    /* Row r: what rank r sends. */
    const uint64_t matrix[COUNT][COUNT] = {{1, 2, 0}, {0, 1, 1}, {2, 0, 1}};
    OK(HcclAlltoAllVC(give, matrix, FLOAT, take, FLOAT, comm, stream));
    expect(take, OF(rank, {0, 20, 21}, {1, 2, 10}, {11, 22}), 4);
    fill(rank);
    const uint64_t sent[] = {1, 1, 1}, from[] = {2, 1, 0};
    OK(HcclAlltoAllV(give, sent, from, FLOAT, take, sent, from, FLOAT, comm, stream));
    expect(take, OF(rank, {22, 12, 2}, {21, 11, 1}, {20, 10, 0}), 4);
}

static void messages(int rank)
{
    uint32_t next = (uint32_t)(rank + 1) % COUNT, last = (uint32_t)(rank + COUNT - 1) % COUNT;
    fill(rank);
    if (rank == 0) {
        OK(HcclSend(give, 3, FLOAT, 2, comm, stream));
        OK(HcclSend(give + 3, 1, FLOAT, 2, comm, stream));
    } else if (rank == 2) {
        OK(HcclRecv(take, 3, FLOAT, 0, comm, stream));
        OK(HcclRecv(take + 3, 1, FLOAT, 0, comm, stream));
    }
    expect(take, OF(rank, {0}, {0}, {0, 1, 2, 3}), 5);
    /* A ring: one after the other, each would wait for the next one for ever. */
    fill(rank);
    HcclSendRecvItem ring[] = {
        {HCCL_SEND, give, 1, FLOAT, next},
        {HCCL_SEND, give + 1, 1, FLOAT, next},
        {HCCL_RECV, take, 1, FLOAT, last},
        {HCCL_RECV, take + 1, 1, FLOAT, last},
    };
    OK(HcclBatchSendRecv(ring, 4, comm, stream));
    expect(take, OF(rank, {20, 21}, {0, 1}, {10, 11}), 3);
    fill(rank);
    OK(HcclGroupStart());
    OK(HcclSend(give, 2, FLOAT, last, comm, stream));
    OK(HcclRecv(take, 2, FLOAT, next, comm, stream));
    OK(HcclGroupEnd());
    expect(take, OF(rank, {10, 11}, {20, 21}, {0, 1}), 3);
}

/* 1 + 2 + 3 and 3 in each type: bits as memory has them. */
static void types(int rank)
{
    static const struct {
        HcclDataType type;
        size_t bytes;
        uint64_t of[COUNT], sum, most;
    } all[] = {
        {HCCL_DATA_TYPE_FP16, 2, {0x3c00, 0x4000, 0x4200}, 0x4600, 0x4200},
        {HCCL_DATA_TYPE_BFP16, 2, {0x3f80, 0x4000, 0x4040}, 0x40c0, 0x4040},
        {HCCL_DATA_TYPE_FP64, 8, {0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000}, 0x4018000000000000,
         0x4008000000000000},
        {HCCL_DATA_TYPE_INT8, 1, {1, 0xff, 3}, 3, 3},
        {HCCL_DATA_TYPE_UINT8, 1, {1, 0xff, 3}, 3, 0xff},
        {HCCL_DATA_TYPE_INT16, 2, {1, 0xffff, 3}, 3, 3},
        {HCCL_DATA_TYPE_UINT16, 2, {1, 0xffff, 3}, 3, 0xffff},
        {HCCL_DATA_TYPE_INT32, 4, {1, 0xffffffff, 3}, 3, 3},
        {HCCL_DATA_TYPE_UINT32, 4, {1, 0xffffffff, 3}, 3, 0xffffffff},
        {HCCL_DATA_TYPE_INT64, 8, {1, UINT64_MAX, 3}, 3, 3},
        {HCCL_DATA_TYPE_UINT64, 8, {1, UINT64_MAX, 3}, 3, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (int is_most = 0; is_most < 2; is_most++) {
            uint64_t now = 0;
            OK(aclrtMemcpy(give, all[i].bytes, &all[i].of[rank], all[i].bytes, ACL_MEMCPY_HOST_TO_DEVICE));
            OK(HcclAllReduce(give, take, 1, all[i].type, is_most ? HCCL_REDUCE_MAX : HCCL_REDUCE_SUM, comm, stream));
            OK(aclrtSynchronizeStream(stream));
            OK(aclrtMemcpy(&now, sizeof now, take, all[i].bytes, ACL_MEMCPY_DEVICE_TO_HOST));
            EXPECT("3.14", now == (is_most ? all[i].most : all[i].sum));
        }
    }
}

/* More than fits the memory that smaller collectives had; three of them are queued before any is awaited. */
static void sizes(void)
{
    enum { LARGE = 200000 };
    float *host = calloc(LARGE, sizeof *host), *large;
    for (int i = 0; i < LARGE; i++) {
        host[i] = (float)(i % 1000);
    }
    large = holding(host, LARGE * sizeof *host);
    for (int i = 0; i < 3; i++) {
        OK(HcclAllReduce(large, large, LARGE, FLOAT, HCCL_REDUCE_SUM, comm, stream));
    }
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(host, LARGE * sizeof *host, large, LARGE * sizeof *host, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < LARGE; i++) {
        EXPECT("3.14", host[i] == (float)(27 * (i % 1000)));
    }
    OK(aclrtFree(large));
    free(host);
}

static void body(int rank, int count)
{
    float nothing[ROOM] = {0};
    uint32_t number;
    HcclResult state;
    char name[COMM_NAME_MAX_LENGTH] = "";
    comm = join(rank, count);
    OK(HcclGetRankId(comm, &number));
    EXPECT("3.14", number == (uint32_t)rank);
    OK(HcclGetRankSize(comm, &number));
    EXPECT("3.14", number == COUNT);
    OK(HcclGetCommName(comm, name));
    EXPECT("a name", name[0] != '\0');
    OK(aclrtCreateStream(&stream));
    give = holding(nothing, sizeof nothing);
    take = holding(nothing, sizeof nothing);
    for (int turn = 0; turn < 3; turn++) {
        reductions(rank);
        copies(rank);
        exchanges(rank);
        messages(rank);
        OK(HcclBarrier(comm, stream));
    }
    types(rank);
    sizes();
    OK(HcclGetCommAsyncError(comm, &state));
    EXPECT("nobody is lost", state == HCCL_SUCCESS);
    OK(aclrtSynchronizeStream(stream));
    OK(HcclCommDestroy(comm));
    OK(aclrtFree(give));
    OK(aclrtFree(take));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(rank));
}

/* Two ranks in each of two processes: a thread has one. */
static void *oneOfTwo(void *argument)
{
    int rank = *(int *)argument;
    const float mine = (float)(rank + 1);
    float sum = 0;
    aclrtStream queue;
    HcclComm group = join(rank, 4);
    OK(aclrtCreateStream(&queue));
    float *block = holding(&mine, sizeof mine);
    OK(HcclAllReduce(block, block, 1, FLOAT, HCCL_REDUCE_SUM, group, queue));
    OK(aclrtSynchronizeStream(queue));
    OK(aclrtMemcpy(&sum, sizeof sum, block, sizeof sum, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("3.14", sum == 10);
    OK(HcclCommDestroy(group));
    OK(aclrtFree(block));
    OK(aclrtDestroyStream(queue));
    return NULL;
}

static void twoRanks(int process, int count)
{
    (void)count;
    pthread_t threads[2];
    int numbers[] = {process, process + 2};
    for (int i = 0; i < 2; i++) {
        EXPECT("set-up", pthread_create(&threads[i], NULL, oneOfTwo, &numbers[i]) == 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
}

int main(void)
{
    runRanks(COUNT, body);
    runRanks(2, twoRanks);
    return 0;
}
