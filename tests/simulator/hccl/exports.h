/* libhccl.so's public functions. */
#ifndef SIMULATOR_HCCL_EXPORTS_H
#define SIMULATOR_HCCL_EXPORTS_H

#define HCCL_EXPORTS(X) \
    X(HcclCommInitAll) \
    X(HcclCommDestroy) \
    X(HcclGetRankSize) \
    X(HcclGetRankId) \
    X(HcclAllReduce) \
    X(HcclReduce) \
    X(HcclBroadcast) \
    X(HcclReduceScatter) \
    X(HcclScatter) \
    X(HcclAllGather) \
    X(HcclSend) \
    X(HcclRecv) \
    X(HcclAlltoAll) \
    X(HcclAlltoAllV) \
    X(HcclBarrier)

#endif
