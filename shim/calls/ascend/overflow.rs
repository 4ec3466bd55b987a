//! Queries of floating-point overflow: they write their answer to device memory, in stream order.

use super::indirect_copy::used;
use crate::abi::*;
use crate::calls::interpose;
use crate::record::Hook;
use aclsan_log::record::Access;
use std::ffi::c_void;

interpose! {
    fn aclrtGetOverflowStatus(to: *mut c_void, size: usize, stream: aclrtStream) -> aclError = on_status;
    fn aclrtGetFloatOverflowStatus(to: *mut c_void, size: u64, stream: aclrtStream) -> aclError = on_float_status;
    fn aclrtNpuGetFloatOverFlowStatus(to: *mut c_void, size: u64, mode: u32, stream: aclrtStream) -> aclError = on_npu_status;
}

/// Bytes of a status. The runtime refuses to write any other number.
const STATUS_BYTES: u64 = 64;

fn on_status(
    hook: &Hook,
    next: aclrtGetOverflowStatus::Fn,
    to: *mut c_void,
    size: usize,
    stream: aclrtStream,
) -> aclError {
    // SAFETY: the caller's own arguments.
    write_status(hook, to, size as u64, stream, || unsafe {
        next(to, size, stream)
    })
}

fn on_float_status(
    hook: &Hook,
    next: aclrtGetFloatOverflowStatus::Fn,
    to: *mut c_void,
    size: u64,
    stream: aclrtStream,
) -> aclError {
    // SAFETY: the caller's own arguments.
    write_status(hook, to, size, stream, || unsafe { next(to, size, stream) })
}

fn on_npu_status(
    hook: &Hook,
    next: aclrtNpuGetFloatOverFlowStatus::Fn,
    to: *mut c_void,
    size: u64,
    mode: u32,
    stream: aclrtStream,
) -> aclError {
    // SAFETY: the caller's own arguments.
    write_status(hook, to, size, stream, || unsafe {
        next(to, size, mode, stream)
    })
}

fn write_status(
    hook: &Hook,
    to: *mut c_void,
    size: u64,
    stream: aclrtStream,
    forward: impl FnOnce() -> aclError,
) -> aclError {
    let range = [(to as u64, size, Access::Write)];
    let is_done = !to.is_null() && size == STATUS_BYTES;
    let ranges = if is_done { &range[..] } else { &[] };
    let values = [to as u64, size, stream as u64];
    used(hook, 0, ranges, stream, &values, forward)
}
