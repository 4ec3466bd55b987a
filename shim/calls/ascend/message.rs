//! Messages between two ranks, of libhccl.so: the buffers of this rank.

use super::collective::ranges::{messages, pieces};
use super::collective::run;
use crate::abi::*;
use crate::calls::interpose;
use crate::record::Hook;
use aclsan_log::record::Access;
use std::ffi::c_void;

interpose! {
    /// Records the buffer.
    fn HcclSend(send_buf: *mut c_void, count: u64, data_type: HcclDataType, dest_rank: u32, comm: HcclComm, stream: aclrtStream)
        -> HcclResult = on_send, HcclSend;
    /// Records the buffer.
    fn HcclRecv(recv_buf: *mut c_void, count: u64, data_type: HcclDataType, src_rank: u32, comm: HcclComm, stream: aclrtStream)
        -> HcclResult = on_receive, HcclRecv;
    /// Records the buffer of each message.
    fn HcclBatchSendRecv(items: *mut HcclSendRecvItem, count: u32, comm: HcclComm, stream: aclrtStream) -> HcclResult
        = on_batch, HcclBatchSendRecv;
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_send(
    hook: &Hook,
    next: HcclSend::Fn,
    send_buf: *mut c_void,
    count: u64,
    data_type: HcclDataType,
    dest_rank: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let used = [pieces(send_buf, Access::Read, count, data_type, 1)];
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(send_buf, count, data_type, dest_rank, comm, stream)
    })
}

#[allow(clippy::too_many_arguments)] // HCCL's
fn on_receive(
    hook: &Hook,
    next: HcclRecv::Fn,
    recv_buf: *mut c_void,
    count: u64,
    data_type: HcclDataType,
    src_rank: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    let used = [pieces(recv_buf, Access::Write, count, data_type, 1)];
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(recv_buf, count, data_type, src_rank, comm, stream)
    })
}

fn on_batch(
    hook: &Hook,
    next: HcclBatchSendRecv::Fn,
    items: *mut HcclSendRecvItem,
    count: u32,
    comm: HcclComm,
    stream: aclrtStream,
) -> HcclResult {
    // SAFETY: HCCL reads as many items from the same list.
    let used = unsafe { messages(items, count) };
    // SAFETY: the caller's own arguments.
    run(hook, &used, comm, stream, || unsafe {
        next(items, count, comm, stream)
    })
}
