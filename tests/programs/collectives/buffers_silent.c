//@ flags: -lhccl
// Every collective on buffers that are just large enough; in place; NULL where a rank has no part; a type without a known size is refused.
#include "ranks.h"

int main(void) {
    beginRanks();
    float *one[RANKS], *both[RANKS];
    EACH(one[r] = (float *)device(64); both[r] = (float *)device(128))
    EACH(MUST(aclrtMemset(one[r], 64, 0, 64)); MUST(aclrtMemset(both[r], 128, 0, 128)))
    float start[16];
    for (int i = 0; i < 16; i++) start[i] = (float)i;
    EACH(MUST(aclrtMemcpy(one[r], 64, start, 64, ACL_MEMCPY_HOST_TO_DEVICE)))
    EACH(MUST(HcclAllReduce(one[r], one[r], 16, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[r], queues[r])))
    EACH(MUST(HcclAllGather(one[r], both[r], 16, HCCL_DATA_TYPE_FP32, comms[r], queues[r])))
    EACH(MUST(HcclReduceScatter(both[r], one[r], 16, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_MAX, comms[r], queues[r])))
    EACH(MUST(HcclReduce(one[r], r == 0 ? both[r] : NULL, 16, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, 0, comms[r], queues[r])))
    EACH(MUST(HcclBroadcast(both[r], 32, HCCL_DATA_TYPE_FP32, 0, comms[r], queues[r])))
    EACH(MUST(HcclScatter(r == 1 ? both[r] : NULL, one[r], 16, HCCL_DATA_TYPE_FP32, 1, comms[r], queues[r])))
    EACH(MUST(HcclAlltoAll(both[r], 16, HCCL_DATA_TYPE_FP32, both[r], 16, HCCL_DATA_TYPE_FP32, comms[r], queues[r])))
    const uint64_t counts[] = {0, 16}, starts[] = {1000, 0}; // nothing for the first rank, wherever that would be
    EACH(MUST(HcclAlltoAllV(one[r], counts, starts, HCCL_DATA_TYPE_FP32, both[r], counts, starts, HCCL_DATA_TYPE_FP32, comms[r],
                            queues[r])))
    EACH(MUST(HcclBarrier(comms[r], queues[r])))
    on(0);
    MUST(HcclSend(one[0], 16, HCCL_DATA_TYPE_FP32, 1, comms[0], queues[0]));
    on(1);
    MUST(HcclRecv(both[1] + 16, 16, HCCL_DATA_TYPE_FP32, 0, comms[1], queues[1]));
    wait();
    float now[32];
    MUST(aclrtMemcpy(now, sizeof now, both[1], sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%g %g, %g %g\n", now[1], now[15], now[17], now[31]);
    printf("of no known size: %d\n", HcclAllReduce(one[1], one[1], 1 << 20, (HcclDataType)14, HCCL_REDUCE_SUM, comms[1], queues[1]));
    EACH(MUST(aclrtFree(one[r])); MUST(aclrtFree(both[r])))
    endRanks();
    return 0;
}
