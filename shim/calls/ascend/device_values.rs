//! Operations on device memory in place: reductions, writes of values, waits for values. Cache operations are only recorded, since they may
//! round their range as they like.

use crate::abi::*;
use crate::calls::actions::launched_as;
use crate::calls::interpose;
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_void;

interpose! {
    /// Records both ranges.
    fn aclrtReduceAsync(dst: *mut c_void, src: *const c_void, count: u64, kind: aclrtReduceKind, data: aclDataType, stream: aclrtStream,
        reserve: *mut c_void) -> aclError
        = launched_as [dst, src, count, kind, data as u64, stream] (reduced(dst, src, count, reserve), stream, kind);
    /// Records eight bytes; also orders streams.
    fn aclrtValueWrite(address: *mut c_void, value: u64, flag: u32, stream: aclrtStream) -> aclError
        = launched_as [address, value, stream] (word(address, Access::Write, flag == 0), stream, flag);
    fn aclrtValueWait(address: *mut c_void, value: u64, flag: u32, stream: aclrtStream) -> aclError
        = launched_as [address, value, flag, stream] (word(address, Access::Read, flag <= CONDITIONS_LAST), stream, flag);
}

/// `ACL_STREAM_WAIT_VALUE_NOR`: higher numbers are rejected.
const CONDITIONS_LAST: u32 = 3;

fn reduced(
    dst: *mut c_void,
    src: *const c_void,
    size: u64,
    reserve: *mut c_void,
) -> impl Iterator<Item = RangeUse> {
    let is_done = !dst.is_null() && !src.is_null() && reserve.is_null();
    let ends = [(dst as u64, Access::Both), (src as u64, Access::Read)];
    let ranges = ends.map(|(address, access)| RangeUse {
        address,
        size,
        access,
    });
    ranges.into_iter().filter(move |_| is_done)
}

/// A value on the device, unless the call is refused.
fn word(address: *mut c_void, access: Access, is_done: bool) -> Option<RangeUse> {
    is_done.then_some(RangeUse {
        address: address as u64,
        size: 8,
        access,
    })
}
