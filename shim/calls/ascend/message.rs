//! Messages between two ranks, of libhccl.so: the buffers of this rank.

use super::collective::ranges::{messages, read, write};
use crate::abi::*;
use crate::calls::actions::launched;
use crate::calls::interpose;
use std::ffi::c_void;

interpose! {
    fn HcclSend(send_buf: *mut c_void, count: u64, data_type: HcclDataType, dest_rank: u32, comm: HcclComm, stream: aclrtStream)
        -> HcclResult = launched [comm, stream] ([read(send_buf, count, data_type, 1)], stream), HcclSend;
    fn HcclRecv(recv_buf: *mut c_void, count: u64, data_type: HcclDataType, src_rank: u32, comm: HcclComm, stream: aclrtStream)
        -> HcclResult = launched [comm, stream] ([write(recv_buf, count, data_type, 1)], stream), HcclRecv;
    /// Records the buffer of each message.
    fn HcclBatchSendRecv(items: *mut HcclSendRecvItem, count: u32, comm: HcclComm, stream: aclrtStream) -> HcclResult
        = launched [comm, stream] (messages(items, count), stream), HcclBatchSendRecv;
}
