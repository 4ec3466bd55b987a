//! Operations on device memory in place: reductions, writes of values, waits for values. Cache operations are only recorded, since they may
//! round their range as they like.

use super::indirect_copy::used;
use crate::abi::*;
use crate::calls::interpose;
use crate::record::Hook;
use aclsan_log::record::Access;
use std::ffi::c_void;

interpose! {
    /// Records both ranges.
    fn aclrtReduceAsync(dst: *mut c_void, src: *const c_void, count: u64, kind: aclrtReduceKind, data: aclDataType, stream: aclrtStream,
        reserve: *mut c_void) -> aclError = on_reduce;
    /// Records eight bytes; also orders streams.
    fn aclrtValueWrite(address: *mut c_void, value: u64, flag: u32, stream: aclrtStream) -> aclError = on_write;
    fn aclrtValueWait(address: *mut c_void, value: u64, flag: u32, stream: aclrtStream) -> aclError = on_wait;
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_reduce(
    hook: &Hook,
    next: aclrtReduceAsync::Fn,
    dst: *mut c_void,
    src: *const c_void,
    count: u64,
    kind: aclrtReduceKind,
    data: aclDataType,
    stream: aclrtStream,
    reserve: *mut c_void,
) -> aclError {
    let (to, from) = (dst as u64, src as u64);
    let is_null = to == 0 || from == 0 || !reserve.is_null();
    let ranges = [(to, count, Access::Both), (from, count, Access::Read)];
    let values = [to, from, count, kind.into(), data as u64, stream as u64];
    // SAFETY: the caller's own arguments.
    used(
        hook,
        kind,
        if is_null { &[] } else { &ranges },
        stream,
        &values,
        || unsafe { next(dst, src, count, kind, data, stream, reserve) },
    )
}

/// `ACL_STREAM_WAIT_VALUE_NOR`: higher numbers are rejected.
const CONDITIONS_LAST: u32 = 3;
/// Size of a value in bytes.
const WIDTH: u64 = 8;

fn on_write(
    hook: &Hook,
    next: aclrtValueWrite::Fn,
    address: *mut c_void,
    value: u64,
    flag: u32,
    stream: aclrtStream,
) -> aclError {
    let range = [(address as u64, WIDTH, Access::Write)];
    let values = [address as u64, value, stream as u64];
    // SAFETY: the caller's own arguments.
    used(
        hook,
        flag,
        if flag == 0 { &range } else { &[] },
        stream,
        &values,
        || unsafe { next(address, value, flag, stream) },
    )
}

fn on_wait(
    hook: &Hook,
    next: aclrtValueWait::Fn,
    address: *mut c_void,
    value: u64,
    flag: u32,
    stream: aclrtStream,
) -> aclError {
    let range = [(address as u64, WIDTH, Access::Read)];
    let is_done = flag <= CONDITIONS_LAST;
    let values = [address as u64, value, flag.into(), stream as u64];
    // SAFETY: the caller's own arguments.
    used(
        hook,
        flag,
        if is_done { &range } else { &[] },
        stream,
        &values,
        || unsafe { next(address, value, flag, stream) },
    )
}
