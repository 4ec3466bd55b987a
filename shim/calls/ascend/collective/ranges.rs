//! The ranges that the arguments of a collective describe: counts of elements, for one rank or per rank.

use crate::abi::*;
use crate::calls::actions::array;
use crate::runtime::slots::{self, TypedSlot};
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_void;

/// Size of an element in bytes; 0, which means an unknown range, for an unknown type.
fn size(data_type: HcclDataType) -> u64 {
    match data_type {
        HCCL_DATA_TYPE_INT8 | HCCL_DATA_TYPE_UINT8 => 1,
        HCCL_DATA_TYPE_INT16 | HCCL_DATA_TYPE_UINT16 => 2,
        HCCL_DATA_TYPE_FP16 | HCCL_DATA_TYPE_BFP16 => 2,
        HCCL_DATA_TYPE_INT32 | HCCL_DATA_TYPE_UINT32 | HCCL_DATA_TYPE_FP32 => 4,
        HCCL_DATA_TYPE_INT64 | HCCL_DATA_TYPE_UINT64 | HCCL_DATA_TYPE_FP64 => 8,
        HCCL_DATA_TYPE_INT128 => 16,
        _ => 0,
    }
}

/// As [`pieces`], read.
pub fn read(address: *const c_void, count: u64, kind: HcclDataType, ranks: u64) -> RangeUse {
    pieces(address, Access::Read, count, kind, ranks)
}

/// As [`pieces`], written.
pub fn write(address: *const c_void, count: u64, kind: HcclDataType, ranks: u64) -> RangeUse {
    pieces(address, Access::Write, count, kind, ranks)
}

/// `pieces` consecutive pieces of `count` elements.
fn pieces(
    address: *const c_void,
    access: Access,
    count: u64,
    data_type: HcclDataType,
    pieces: u64,
) -> RangeUse {
    let size = count
        .checked_mul(size(data_type))
        .and_then(|piece| piece.checked_mul(pieces));
    RangeUse {
        address: address as u64,
        size: size.unwrap_or(0),
        access,
    }
}

type Query = TypedSlot<extern "C-unwind" fn(HcclComm, *mut u32) -> HcclResult>;

/// A number that the library gives for a communicator; `None` if it has no answer.
fn asked(comm: HcclComm, query: &Query) -> Option<u64> {
    if comm.is_null() {
        return None;
    }
    let mut answer = 0;
    let status = query.call(|query| query(comm, &mut answer))?;
    (status == HCCL_SUCCESS).then_some(answer.into())
}

/// The number of ranks; 0, which means an unknown range, if it is not known.
pub fn ranks(comm: HcclComm) -> u64 {
    asked(comm, &slots::RANK_SIZE).unwrap_or(0)
}

fn rank(comm: HcclComm) -> Option<u64> {
    asked(comm, &slots::RANK_ID)
}

/// Whether this rank is `root`; `None` if that is not known.
fn is_root(comm: HcclComm, root: u32) -> Option<bool> {
    Some(rank(comm)? == u64::from(root))
}

/// Pieces on the root; 0, which means an unknown range, elsewhere.
pub fn if_root(comm: HcclComm, root: u32, pieces: impl FnOnce() -> u64) -> u64 {
    match is_root(comm, root) {
        Some(true) => pieces(),
        _ => 0,
    }
}

/// The buffer of a broadcast: read on the root, written elsewhere.
pub fn broadcast(
    address: *const c_void,
    count: u64,
    data_type: HcclDataType,
    root: u32,
    comm: HcclComm,
) -> RangeUse {
    let access = match is_root(comm, root) {
        Some(true) => Access::Read,
        Some(false) => Access::Write,
        None => Access::Both,
    };
    pieces(address, access, count, data_type, 1)
}

/// The ranges of a call with a piece for each rank, whose number is asked for once.
pub fn for_ranks<R>(comm: HcclComm, ranges: impl FnOnce(u64) -> R) -> R {
    ranges(ranks(comm))
}

/// As [`span`], read.
pub fn read_span(
    address: *const c_void,
    counts: *const c_void,
    starts: *const c_void,
    data_type: HcclDataType,
    ranks: u64,
) -> Option<RangeUse> {
    span(address, Access::Read, [counts, starts], data_type, ranks)
}

/// As [`span`], written.
pub fn write_span(
    address: *const c_void,
    counts: *const c_void,
    starts: *const c_void,
    data_type: HcclDataType,
    ranks: u64,
) -> Option<RangeUse> {
    span(address, Access::Write, [counts, starts], data_type, ranks)
}

/// A number of a list or a matrix that the caller gives to the library.
fn number(list: *const c_void, at: usize) -> u64 {
    let entry = list.cast::<u64>().wrapping_add(at);
    // SAFETY: the library reads as many elements of the same list: one a rank, in a matrix one a pair.
    unsafe { entry.read_unaligned() }
}

/// The pieces of as many elements as a list of counts says, at as many starts, from the first to the end of the last; `None` without lists.
fn span(
    address: *const c_void,
    access: Access,
    [counts, starts]: [*const c_void; 2],
    data_type: HcclDataType,
    ranks: u64,
) -> Option<RangeUse> {
    if counts.is_null() || starts.is_null() || address.is_null() {
        return None;
    }
    let element = size(data_type);
    let (mut first, mut last) = (u64::MAX, 0);
    for rank in 0..ranks as usize {
        let (count, start) = (number(counts, rank), number(starts, rank));
        if count > 0 {
            first = first.min(start);
            last = last.max(start.checked_add(count)?);
        }
    }
    let elements = last.checked_sub(first)?;
    Some(RangeUse {
        address: (address as u64).checked_add(first.checked_mul(element)?)?,
        size: elements.checked_mul(element)?,
        access,
    })
}

type Buffer = (*const c_void, HcclDataType);

/// Both buffers, by a matrix of counts with a row for each sender; nothing without one.
pub fn matrix(
    matrix: *const c_void,
    sent: Buffer,
    received: Buffer,
    comm: HcclComm,
) -> impl Iterator<Item = RangeUse> {
    let counts = (!matrix.is_null())
        .then(|| row_and_column(matrix, comm))
        .flatten();
    let both = counts.map(|(to, from)| {
        [
            read(sent.0, to, sent.1, 1),
            write(received.0, from, received.1, 1),
        ]
    });
    both.into_iter().flatten()
}

/// How many elements this rank sends and receives.
fn row_and_column(matrix: *const c_void, comm: HcclComm) -> Option<(u64, u64)> {
    let (own, ranks) = (rank(comm)? as usize, ranks(comm) as usize);
    let sent = total((0..ranks).map(|other| number(matrix, own * ranks + other)))?;
    let received = total((0..ranks).map(|other| number(matrix, other * ranks + own)))?;
    Some((sent, received))
}

fn total(mut numbers: impl Iterator<Item = u64>) -> Option<u64> {
    numbers.try_fold(0, |sum: u64, number| sum.checked_add(number))
}

/// The buffers of a list of messages.
pub fn messages(items: *const HcclSendRecvItem, count: u32) -> impl Iterator<Item = RangeUse> {
    let items = array(items, count as usize).iter();
    items.filter_map(|item| match item.sendRecvType {
        HCCL_SEND => Some(read(item.buf, item.count, item.dataType, 1)),
        HCCL_RECV => Some(write(item.buf, item.count, item.dataType, 1)),
        _ => None,
    })
}
