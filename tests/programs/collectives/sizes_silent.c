//@ flags: -lhccl
// The same with blocks that are just large enough, and messages that two calls hold until the end of their group.
#include "ranks.h"

// What each rank sends to the other and receives from it.
static void exchange(int rank, void *sent, void *received, uint64_t bytes) {
    const uint32_t other = (uint32_t)(1 - rank);
    HcclSendRecvItem items[] = {
        {HCCL_SEND, sent, bytes, HCCL_DATA_TYPE_INT8, other},
        {HCCL_RECV, received, bytes, HCCL_DATA_TYPE_INT8, other},
    };
    MUST(HcclBatchSendRecv(items, 2, comms[rank], queues[rank]));
}

static void exchangeInGroup(int rank, void *sent, void *received, uint64_t bytes) {
    const uint32_t other = (uint32_t)(1 - rank);
    MUST(HcclGroupStart());
    MUST(HcclSend(sent, bytes, HCCL_DATA_TYPE_INT8, other, comms[rank], queues[rank]));
    MUST(HcclRecv(received, bytes, HCCL_DATA_TYPE_INT8, other, comms[rank], queues[rank]));
    MUST(HcclGroupEnd());
}

int main(void) {
    beginRanks();
    char *sent[RANKS], *received[RANKS];
    EACH(sent[r] = device(1024); received[r] = device(1024))
    EACH(MUST(aclrtMemset(sent[r], 1024, 1, 1024)); MUST(aclrtMemset(received[r], 1024, 0, 1024)))
    const uint64_t counts[] = {64, 192}, starts[] = {0, 64};
    EACH(MUST(HcclAllGatherV(sent[r], counts[r], received[r], counts, starts, HCCL_DATA_TYPE_FP32, comms[r], queues[r])))
    EACH(MUST(HcclReduceScatterV(sent[r], counts, starts, received[r], counts[r], HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comms[r],
                                 queues[r])))
    const uint64_t matrix[RANKS][RANKS] = {{100, 10}, {156, 100}};
    EACH(MUST(HcclAlltoAllVC(sent[r], matrix, HCCL_DATA_TYPE_FP32, received[r], HCCL_DATA_TYPE_FP32, comms[r], queues[r])))
    EACH(exchange(r, sent[r], received[r] + 512, 512))
    wait();
    // Without the group, each would wait for the other's receiver.
    EACH(exchangeInGroup(r, sent[r], received[r], 1024))
    wait();
    int32_t now[256];
    MUST(aclrtMemcpy(now, sizeof now, received[1], sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%#x %#x\n", now[0], now[255]);
    EACH(MUST(aclrtFree(sent[r])); MUST(aclrtFree(received[r])))
    endRanks();
    return 0;
}
