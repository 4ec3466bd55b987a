//! The ranges that the arguments of a collective describe: counts of elements, for one rank or per rank.

use crate::abi::*;
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

/// `pieces` consecutive pieces of `count` elements.
pub fn pieces(
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

type Query = TypedSlot<unsafe extern "C-unwind" fn(HcclComm, *mut u32) -> HcclResult>;

/// A number that the library gives for a communicator; `None` if it has no answer.
fn asked(comm: HcclComm, query: &Query) -> Option<u64> {
    if comm.is_null() {
        return None;
    }
    let mut answer = 0;
    // SAFETY: the program passes this communicator to a call that reads it as we do.
    let status = query.call(|query| unsafe { query(comm, &mut answer) })?;
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
pub fn is_root(comm: HcclComm, root: u32) -> Option<bool> {
    Some(rank(comm)? == u64::from(root))
}

/// The pieces of `counts` elements at `starts`, from the first to the end of the last; `None` without lists.
///
/// # Safety
/// Each list is NULL or has a `u64` per rank.
pub unsafe fn span(
    address: *const c_void,
    access: Access,
    (counts, starts): (*const c_void, *const c_void),
    data_type: HcclDataType,
    ranks: u64,
) -> Option<RangeUse> {
    if counts.is_null() || starts.is_null() || address.is_null() {
        return None;
    }
    let number = |list: *const c_void, rank| {
        let list = list.cast::<u64>().wrapping_add(rank);
        // SAFETY: the caller's promise: the list has an entry for this rank.
        unsafe { list.read_unaligned() }
    };
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

/// How many elements a matrix of counts, with a row for each sender, says that this rank sends and receives.
///
/// # Safety
/// The matrix is NULL or has a `u64` for each pair of ranks.
pub unsafe fn row_and_column(matrix: *const c_void, comm: HcclComm) -> Option<(u64, u64)> {
    let (own, ranks) = (rank(comm)? as usize, ranks(comm) as usize);
    if matrix.is_null() {
        return None;
    }
    let number = |from: usize, to: usize| {
        let entry = matrix.cast::<u64>().wrapping_add(from * ranks + to);
        // SAFETY: the caller's promise: the matrix has an entry for this pair.
        unsafe { entry.read_unaligned() }
    };
    let sent = total((0..ranks).map(|other| number(own, other)))?;
    Some((sent, total((0..ranks).map(|other| number(other, own)))?))
}

fn total(mut numbers: impl Iterator<Item = u64>) -> Option<u64> {
    numbers.try_fold(0, |sum: u64, number| sum.checked_add(number))
}

/// The buffers of a list of messages.
///
/// # Safety
/// The list is NULL or has `count` items.
pub unsafe fn messages(items: *const HcclSendRecvItem, count: u32) -> Vec<RangeUse> {
    if items.is_null() {
        return Vec::new();
    }
    let one = |place: usize| {
        // SAFETY: the caller's promise: the list has this item.
        let item = unsafe { items.wrapping_add(place).read_unaligned() };
        let access = match item.sendRecvType {
            HCCL_SEND => Access::Read,
            HCCL_RECV => Access::Write,
            _ => return None,
        };
        Some(pieces(item.buf, access, item.count, item.dataType, 1))
    };
    (0..count as usize).filter_map(one).collect()
}
