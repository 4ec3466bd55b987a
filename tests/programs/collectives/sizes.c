//@ flags: -lhccl
// Pieces of several sizes and messages of one call that run off their blocks.
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

int main(void) {
    beginRanks();
    char *sent[RANKS], *received[RANKS];
    EACH(sent[r] = device(1024); received[r] = device(1024))
    // 64 and 256 floats, 1280 bytes in all.
    const uint64_t counts[] = {64, 256}, starts[] = {0, 64};
    EACH(MUST(HcclAllGatherV(sent[r], counts[r], received[r], counts, starts, HCCL_DATA_TYPE_FP32, comms[r], queues[r])))
    wait();
    EACH(MUST(HcclReduceScatterV(sent[r], counts, starts, received[r], counts[r], HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[r],
                                 queues[r])))
    wait();
    // The second rank sends 100 and 200 floats.
    const uint64_t matrix[RANKS][RANKS] = {{100, 10}, {100, 200}};
    EACH(MUST(HcclAlltoAllVC(sent[r], matrix, HCCL_DATA_TYPE_FP32, received[r], HCCL_DATA_TYPE_FP32, comms[r], queues[r])))
    wait();
    // What each rank receives begins in the middle of a block and is as large as all of it.
    EACH(exchange(r, sent[r], received[r] + 512, 1024))
    wait();
    EACH(MUST(aclrtFree(sent[r])); MUST(aclrtFree(received[r])))
    endRanks();
    return 0;
}
