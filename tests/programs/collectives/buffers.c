//@ flags: -lhccl
// Buffers of collectives that are too small for all ranks, that run off their blocks, that were released.
#include "ranks.h"

int main(void) {
    beginRanks();
    char *sent[RANKS], *received[RANKS];
    EACH(sent[r] = device(1024); received[r] = device(1024))
    // 256 floats of each rank are twice what the receiving block has.
    EACH(MUST(HcclAllGather(sent[r], received[r], 256, HCCL_DATA_TYPE_FP32, comms[r], queues[r])))
    wait();
    // 512 halves are the whole block; these begin in its middle, on one rank.
    EACH(MUST(HcclAllReduce(sent[r] + 512 * r, received[r], 512, HCCL_DATA_TYPE_FP16, HCCL_REDUCE_SUM, comms[r], queues[r])))
    wait();
    // The second rank's pieces are 64 and 224 doubles, 288 in all; its block has 128.
    const uint64_t counts[RANKS][RANKS] = {{32, 64}, {64, 224}}, starts[RANKS][RANKS] = {{0, 32}, {0, 64}};
    EACH(MUST(HcclAlltoAllV(sent[r], counts[r], starts[r], HCCL_DATA_TYPE_FP64, received[r], counts[r], starts[r], HCCL_DATA_TYPE_INT8,
                            comms[r], queues[r])))
    wait();
    on(0);
    MUST(aclrtFree(sent[0]));
    MUST(HcclSend(sent[0], 16, HCCL_DATA_TYPE_INT8, 1, comms[0], queues[0]));
    on(1);
    MUST(HcclRecv(received[1], 16, HCCL_DATA_TYPE_INT8, 0, comms[1], queues[1]));
    wait();
    on(1);
    MUST(aclrtFree(sent[1]));
    EACH(MUST(aclrtFree(received[r])))
    endRanks();
    return 0;
}
