/* libhccl.so's public functions. */
#ifndef SIMULATOR_HCCL_EXPORTS_H
#define SIMULATOR_HCCL_EXPORTS_H

#define HCCL_EXPORTS(X) \
    X(HcclCommInitAll) \
    X(HcclGetRootInfo) \
    X(HcclCommInitRootInfo) \
    X(HcclCommInitRootInfoConfig) \
    X(HcclCommDestroy) \
    X(HcclGetRankSize) \
    X(HcclGetRankId) \
    X(HcclGetCommName) \
    X(HcclGetCommAsyncError) \
    X(HcclGetErrorString) \
    X(HcclSetConfig) \
    X(HcclGetConfig) \
    X(HcclAllReduce) \
    X(HcclReduce) \
    X(HcclBroadcast) \
    X(HcclReduceScatter) \
    X(HcclReduceScatterV) \
    X(HcclScatter) \
    X(HcclAllGather) \
    X(HcclAllGatherV) \
    X(HcclSend) \
    X(HcclRecv) \
    X(HcclBatchSendRecv) \
    X(HcclGroupStart) \
    X(HcclGroupEnd) \
    X(HcclAlltoAll) \
    X(HcclAlltoAllV) \
    X(HcclAlltoAllVC) \
    X(HcclBarrier)

#endif
