//! Collectives between ranks, of libhccl.so: the buffers of this rank.

pub mod ranges;

use crate::abi::*;
use crate::calls::interpose;
use crate::heap::launch;
use crate::record::Hook;
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::RangeUse;
use ranges::{is_root, pieces, ranks, row_and_column, span};
use std::ffi::c_void;

interpose! {
    /// Records both buffers.
    fn HcclAllReduce(send_buf: *mut c_void, recv_buf: *mut c_void, count: u64, data_type: HcclDataType, op: HcclReduceOp, comm: HcclComm,
        stream: aclrtStream) -> HcclResult = on_all_reduce, HcclAllReduce;
    /// Records both buffers; only the root's is written.
    fn HcclReduce(send_buf: *mut c_void, recv_buf: *mut c_void, count: u64, data_type: HcclDataType, op: HcclReduceOp, root: u32,
        comm: HcclComm, stream: aclrtStream) -> HcclResult = on_reduce, HcclReduce;
    /// Records the buffer: read on the root, written elsewhere.
    fn HcclBroadcast(buf: *mut c_void, count: u64, data_type: HcclDataType, root: u32, comm: HcclComm, stream: aclrtStream)
        -> HcclResult = on_broadcast, HcclBroadcast;
    /// Records both buffers; one piece per rank is sent.
    fn HcclReduceScatter(send_buf: *mut c_void, recv_buf: *mut c_void, recv_count: u64, data_type: HcclDataType, op: HcclReduceOp,
        comm: HcclComm, stream: aclrtStream) -> HcclResult = on_reduce_scatter, HcclReduceScatter;
    /// Records both buffers; what is sent from its first piece to the end of its last.
    fn HcclReduceScatterV(send_buf: *mut c_void, send_counts: *const c_void, send_displs: *const c_void, recv_buf: *mut c_void,
        recv_count: u64, data_type: HcclDataType, op: HcclReduceOp, comm: HcclComm, stream: aclrtStream) -> HcclResult
        = on_reduce_scatter_of_several_sizes, HcclReduceScatterV;
    /// Records both buffers; only the root sends, one piece per rank.
    fn HcclScatter(send_buf: *mut c_void, recv_buf: *mut c_void, recv_count: u64, data_type: HcclDataType, root: u32, comm: HcclComm,
        stream: aclrtStream) -> HcclResult = on_scatter, HcclScatter;
    /// Records both buffers; one piece per rank is received.
    fn HcclAllGather(send_buf: *mut c_void, recv_buf: *mut c_void, send_count: u64, data_type: HcclDataType, comm: HcclComm,
        stream: aclrtStream) -> HcclResult = on_all_gather, HcclAllGather;
    /// Records both buffers; what is received from its first piece to the end of its last.
    fn HcclAllGatherV(send_buf: *mut c_void, send_count: u64, recv_buf: *mut c_void, recv_counts: *const c_void,
        recv_displs: *const c_void, data_type: HcclDataType, comm: HcclComm, stream: aclrtStream) -> HcclResult
        = on_all_gather_of_several_sizes, HcclAllGatherV;
    /// Records both buffers; one piece per rank is sent and received.
    fn HcclAlltoAll(send_buf: *const c_void, send_count: u64, send_type: HcclDataType, recv_buf: *const c_void, recv_count: u64,
        recv_type: HcclDataType, comm: HcclComm, stream: aclrtStream) -> HcclResult = on_all_to_all, HcclAlltoAll;
    /// Records both buffers, each from its first piece to the end of its last.
    fn HcclAlltoAllV(send_buf: *const c_void, send_counts: *const c_void, sdispls: *const c_void, send_type: HcclDataType,
        recv_buf: *const c_void, recv_counts: *const c_void, rdispls: *const c_void, recv_type: HcclDataType, comm: HcclComm,
        stream: aclrtStream) -> HcclResult = on_all_to_all_of_several_sizes, HcclAlltoAllV;
    /// Records both buffers, as far as the matrix says.
    fn HcclAlltoAllVC(send_buf: *const c_void, send_count_matrix: *const c_void, send_type: HcclDataType, recv_buf: *const c_void,
        recv_type: HcclDataType, comm: HcclComm, stream: aclrtStream) -> HcclResult = on_all_to_all_of_a_matrix, HcclAlltoAllVC;
    /// Records the call.
    fn HcclBarrier(comm: HcclComm, stream: aclrtStream) -> HcclResult = on_barrier, HcclBarrier;
}

pub fn run(
    hook: &Hook,
    ranges: &[RangeUse],
    comm: HcclComm,
    stream: aclrtStream,
    forward: impl FnOnce() -> HcclResult,
) -> HcclResult {
    let values = [comm as u64, stream as u64];
    launch(hook, ranges, stream as u64, &values, forward)
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_all_reduce(
    hook: &Hook,
    next: HcclAllReduce::Fn,
    send_buf: *mut c_void,
    recv_buf: *mut c_void,
    count: u64,
    data_type: HcclDataType,
    op: HcclReduceOp,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let used = [
        pieces(send_buf, Access::Read, count, data_type, 1),
        pieces(recv_buf, Access::Write, count, data_type, 1),
    ];
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(send_buf, recv_buf, count, data_type, op, comm, stream)
    })
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_reduce(
    hook: &Hook,
    next: HcclReduce::Fn,
    send_buf: *mut c_void,
    recv_buf: *mut c_void,
    count: u64,
    data_type: HcclDataType,
    op: HcclReduceOp,
    root: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let receives = u64::from(is_root(comm, root) == Some(true));
    let used = [
        pieces(send_buf, Access::Read, count, data_type, 1),
        pieces(recv_buf, Access::Write, count, data_type, receives),
    ];
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(send_buf, recv_buf, count, data_type, op, root, comm, stream)
    })
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_broadcast(
    hook: &Hook,
    next: HcclBroadcast::Fn,
    buf: *mut c_void,
    count: u64,
    data_type: HcclDataType,
    root: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let access = match is_root(comm, root) {
        Some(true) => Access::Read,
        Some(false) => Access::Write,
        None => Access::Both,
    };
    let used = [pieces(buf, access, count, data_type, 1)];
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(buf, count, data_type, root, comm, stream)
    })
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_reduce_scatter(
    hook: &Hook,
    next: HcclReduceScatter::Fn,
    send_buf: *mut c_void,
    recv_buf: *mut c_void,
    recv_count: u64,
    data_type: HcclDataType,
    op: HcclReduceOp,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let used = [
        pieces(send_buf, Access::Read, recv_count, data_type, ranks(comm)),
        pieces(recv_buf, Access::Write, recv_count, data_type, 1),
    ];
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(send_buf, recv_buf, recv_count, data_type, op, comm, stream)
    })
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_scatter(
    hook: &Hook,
    next: HcclScatter::Fn,
    send_buf: *mut c_void,
    recv_buf: *mut c_void,
    recv_count: u64,
    data_type: HcclDataType,
    root: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let sent = match is_root(comm, root) {
        Some(true) => ranks(comm),
        _ => 0,
    };
    let used = [
        pieces(send_buf, Access::Read, recv_count, data_type, sent),
        pieces(recv_buf, Access::Write, recv_count, data_type, 1),
    ];
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(
            send_buf, recv_buf, recv_count, data_type, root, comm, stream,
        )
    })
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_all_gather(
    hook: &Hook,
    next: HcclAllGather::Fn,
    send_buf: *mut c_void,
    recv_buf: *mut c_void,
    send_count: u64,
    data_type: HcclDataType,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let used = [
        pieces(send_buf, Access::Read, send_count, data_type, 1),
        pieces(recv_buf, Access::Write, send_count, data_type, ranks(comm)),
    ];
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(send_buf, recv_buf, send_count, data_type, comm, stream)
    })
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_all_to_all(
    hook: &Hook,
    next: HcclAlltoAll::Fn,
    send_buf: *const c_void,
    send_count: u64,
    send_type: HcclDataType,
    recv_buf: *const c_void,
    recv_count: u64,
    recv_type: HcclDataType,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let ranks = ranks(comm);
    let used = [
        pieces(send_buf, Access::Read, send_count, send_type, ranks),
        pieces(recv_buf, Access::Write, recv_count, recv_type, ranks),
    ];
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(
            send_buf, send_count, send_type, recv_buf, recv_count, recv_type, comm, stream,
        )
    })
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_all_to_all_of_several_sizes(
    hook: &Hook,
    next: HcclAlltoAllV::Fn,
    send_buf: *const c_void,
    send_counts: *const c_void,
    sdispls: *const c_void,
    send_type: HcclDataType,
    recv_buf: *const c_void,
    recv_counts: *const c_void,
    rdispls: *const c_void,
    recv_type: HcclDataType,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let ranks = ranks(comm);
    let (sent, received) = ((send_counts, sdispls), (recv_counts, rdispls));
    // SAFETY: HCCL reads as many elements from the same lists.
    let sent = unsafe { span(send_buf, Access::Read, sent, send_type, ranks) };
    // SAFETY: likewise.
    let received = unsafe { span(recv_buf, Access::Write, received, recv_type, ranks) };
    let used: Vec<RangeUse> = sent.into_iter().chain(received).collect();
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(
            send_buf,
            send_counts,
            sdispls,
            send_type,
            recv_buf,
            recv_counts,
            rdispls,
            recv_type,
            comm,
            stream,
        )
    })
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_all_to_all_of_a_matrix(
    hook: &Hook,
    next: HcclAlltoAllVC::Fn,
    send_buf: *const c_void,
    send_count_matrix: *const c_void,
    send_type: HcclDataType,
    recv_buf: *const c_void,
    recv_type: HcclDataType,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    // SAFETY: HCCL reads as many elements from the same matrix.
    let counts = unsafe { row_and_column(send_count_matrix, comm) };
    let used = counts.map(|(sent, received)| {
        [
            pieces(send_buf, Access::Read, sent, send_type, 1),
            pieces(recv_buf, Access::Write, received, recv_type, 1),
        ]
    });
    let used = used.as_ref().map_or(&[][..], |used| &used[..]);
    // SAFETY: the caller's own arguments.
    run(hook, used, comm, stream, || unsafe {
        next(
            send_buf,
            send_count_matrix,
            send_type,
            recv_buf,
            recv_type,
            comm,
            stream,
        )
    })
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_reduce_scatter_of_several_sizes(
    hook: &Hook,
    next: HcclReduceScatterV::Fn,
    send_buf: *mut c_void,
    send_counts: *const c_void,
    send_displs: *const c_void,
    recv_buf: *mut c_void,
    recv_count: u64,
    data_type: HcclDataType,
    op: HcclReduceOp,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let lists = (send_counts, send_displs);
    // SAFETY: HCCL reads as many elements from the same lists.
    let sent = unsafe { span(send_buf, Access::Read, lists, data_type, ranks(comm)) };
    let received = pieces(recv_buf, Access::Write, recv_count, data_type, 1);
    let used: Vec<RangeUse> = sent.into_iter().chain([received]).collect();
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(
            send_buf,
            send_counts,
            send_displs,
            recv_buf,
            recv_count,
            data_type,
            op,
            comm,
            stream,
        )
    })
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_all_gather_of_several_sizes(
    hook: &Hook,
    next: HcclAllGatherV::Fn,
    send_buf: *mut c_void,
    send_count: u64,
    recv_buf: *mut c_void,
    recv_counts: *const c_void,
    recv_displs: *const c_void,
    data_type: HcclDataType,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let lists = (recv_counts, recv_displs);
    let sent = pieces(send_buf, Access::Read, send_count, data_type, 1);
    // SAFETY: HCCL reads as many elements from the same lists.
    let received = unsafe { span(recv_buf, Access::Write, lists, data_type, ranks(comm)) };
    let used: Vec<RangeUse> = [sent].into_iter().chain(received).collect();
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(
            send_buf,
            send_count,
            recv_buf,
            recv_counts,
            recv_displs,
            data_type,
            comm,
            stream,
        )
    })
}

fn on_barrier(
    hook: &Hook,
    next: HcclBarrier::Fn,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    // SAFETY: the caller's own arguments.
    run(hook, &[], comm, stream, || unsafe { next(comm, stream) })
}
