//! Collectives and messages between ranks.

use crate::api::function::Role::*;
use crate::api::function::{Function, queued};

const RANK: &[&str] = &["communicator", "stream"];

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    queued("HcclAllReduce", Launch).with(RANK),
    queued("HcclReduce", Launch).with(RANK),
    queued("HcclBroadcast", Launch).with(RANK),
    queued("HcclReduceScatter", Launch).with(RANK),
    queued("HcclReduceScatterV", Launch).with(RANK),
    queued("HcclScatter", Launch).with(RANK),
    queued("HcclAllGather", Launch).with(RANK),
    queued("HcclAllGatherV", Launch).with(RANK),
    queued("HcclSend", Launch).with(RANK),
    queued("HcclRecv", Launch).with(RANK),
    queued("HcclBatchSendRecv", Launch).with(RANK),
    queued("HcclAlltoAll", Launch).with(RANK),
    queued("HcclAlltoAllV", Launch).with(RANK),
    queued("HcclAlltoAllVC", Launch).with(RANK),
    queued("HcclBarrier", Launch).with(RANK),
];
