//! Collectives between ranks, of libhccl.so: the buffers of this rank.

pub mod ranges;

use crate::abi::*;
use crate::calls::actions::launched;
use crate::calls::interpose;
use ranges::{broadcast, for_ranks, if_root, matrix, ranks, read, read_span, write, write_span};
use std::ffi::c_void;

interpose! {
    fn HcclAllReduce(send_buf: *mut c_void, recv_buf: *mut c_void, count: u64, data_type: HcclDataType, op: HcclReduceOp, comm: HcclComm,
        stream: aclrtStream) -> HcclResult
        = launched [comm, stream] ([read(send_buf, count, data_type, 1), write(recv_buf, count, data_type, 1)], stream), HcclAllReduce;
    /// Only the root's buffer is written.
    fn HcclReduce(send_buf: *mut c_void, recv_buf: *mut c_void, count: u64, data_type: HcclDataType, op: HcclReduceOp, root: u32,
        comm: HcclComm, stream: aclrtStream) -> HcclResult
        = launched [comm, stream] (
            [read(send_buf, count, data_type, 1), write(recv_buf, count, data_type, if_root(comm, root, || 1))], stream), HcclReduce;
    /// Read on the root, written elsewhere.
    fn HcclBroadcast(buf: *mut c_void, count: u64, data_type: HcclDataType, root: u32, comm: HcclComm, stream: aclrtStream) -> HcclResult
        = launched [comm, stream] ([broadcast(buf, count, data_type, root, comm)], stream), HcclBroadcast;
    /// One piece per rank is sent.
    fn HcclReduceScatter(send_buf: *mut c_void, recv_buf: *mut c_void, recv_count: u64, data_type: HcclDataType, op: HcclReduceOp,
        comm: HcclComm, stream: aclrtStream) -> HcclResult
        = launched [comm, stream] (
            [read(send_buf, recv_count, data_type, ranks(comm)), write(recv_buf, recv_count, data_type, 1)], stream), HcclReduceScatter;
    /// Sent from its first piece to the end of its last.
    fn HcclReduceScatterV(send_buf: *mut c_void, send_counts: *const c_void, send_displs: *const c_void, recv_buf: *mut c_void,
        recv_count: u64, data_type: HcclDataType, op: HcclReduceOp, comm: HcclComm, stream: aclrtStream) -> HcclResult
        = launched [comm, stream] (
            read_span(send_buf, send_counts, send_displs, data_type, ranks(comm)).into_iter().chain([write(recv_buf, recv_count, data_type, 1)]),
            stream), HcclReduceScatterV;
    /// Only the root sends, one piece per rank.
    fn HcclScatter(send_buf: *mut c_void, recv_buf: *mut c_void, recv_count: u64, data_type: HcclDataType, root: u32, comm: HcclComm,
        stream: aclrtStream) -> HcclResult
        = launched [comm, stream] (
            [read(send_buf, recv_count, data_type, if_root(comm, root, || ranks(comm))), write(recv_buf, recv_count, data_type, 1)],
            stream), HcclScatter;
    /// One piece per rank is received.
    fn HcclAllGather(send_buf: *mut c_void, recv_buf: *mut c_void, send_count: u64, data_type: HcclDataType, comm: HcclComm,
        stream: aclrtStream) -> HcclResult
        = launched [comm, stream] (
            [read(send_buf, send_count, data_type, 1), write(recv_buf, send_count, data_type, ranks(comm))], stream), HcclAllGather;
    /// Received from its first piece to the end of its last.
    fn HcclAllGatherV(send_buf: *mut c_void, send_count: u64, recv_buf: *mut c_void, recv_counts: *const c_void,
        recv_displs: *const c_void, data_type: HcclDataType, comm: HcclComm, stream: aclrtStream) -> HcclResult
        = launched [comm, stream] (
            [read(send_buf, send_count, data_type, 1)].into_iter().chain(write_span(recv_buf, recv_counts, recv_displs, data_type, ranks(comm))),
            stream), HcclAllGatherV;
    /// One piece per rank is sent and received.
    fn HcclAlltoAll(send_buf: *const c_void, send_count: u64, send_type: HcclDataType, recv_buf: *const c_void, recv_count: u64,
        recv_type: HcclDataType, comm: HcclComm, stream: aclrtStream) -> HcclResult
        = launched [comm, stream] (
            for_ranks(comm, |ranks| [read(send_buf, send_count, send_type, ranks), write(recv_buf, recv_count, recv_type, ranks)]),
            stream),
        HcclAlltoAll;
    /// Each buffer from its first piece to the end of its last.
    fn HcclAlltoAllV(send_buf: *const c_void, send_counts: *const c_void, sdispls: *const c_void, send_type: HcclDataType,
        recv_buf: *const c_void, recv_counts: *const c_void, rdispls: *const c_void, recv_type: HcclDataType, comm: HcclComm,
        stream: aclrtStream) -> HcclResult
        = launched [comm, stream] (
            for_ranks(comm, |ranks| [read_span(send_buf, send_counts, sdispls, send_type, ranks),
                write_span(recv_buf, recv_counts, rdispls, recv_type, ranks)]).into_iter().flatten(), stream), HcclAlltoAllV;
    /// Both buffers, as far as the matrix says.
    fn HcclAlltoAllVC(send_buf: *const c_void, send_count_matrix: *const c_void, send_type: HcclDataType, recv_buf: *const c_void,
        recv_type: HcclDataType, comm: HcclComm, stream: aclrtStream) -> HcclResult
        = launched [comm, stream] (matrix(send_count_matrix, (send_buf, send_type), (recv_buf, recv_type), comm), stream), HcclAlltoAllVC;
    fn HcclBarrier(comm: HcclComm, stream: aclrtStream) -> HcclResult = launched [comm, stream] (None, stream), HcclBarrier;
}
