//! Queries of floating-point overflow: they write their answer to device memory, in stream order.

use crate::abi::*;
use crate::calls::actions::launched;
use crate::calls::interpose;
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_void;

interpose! {
    fn aclrtGetOverflowStatus(to: *mut c_void, size: usize, stream: aclrtStream) -> aclError
        = launched [to, size, stream] (status(to, size as u64), stream);
    fn aclrtGetFloatOverflowStatus(to: *mut c_void, size: u64, stream: aclrtStream) -> aclError
        = launched [to, size, stream] (status(to, size), stream);
    fn aclrtNpuGetFloatOverFlowStatus(to: *mut c_void, size: u64, mode: u32, stream: aclrtStream) -> aclError
        = launched [to, size, stream] (status(to, size), stream);
}

/// Bytes of a status. The runtime refuses to write any other number.
const STATUS_BYTES: u64 = 64;

fn status(to: *mut c_void, size: u64) -> Option<RangeUse> {
    let is_done = !to.is_null() && size == STATUS_BYTES;
    let access = Access::Write;
    let address = to as u64;
    is_done.then_some(RangeUse {
        address,
        size,
        access,
    })
}
