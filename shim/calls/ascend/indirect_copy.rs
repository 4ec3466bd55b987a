//! Copies with indirect ends: by descriptor, by pointers on the device, by symbol.
//!
//! A descriptor is in the program's own device memory, which the shim does not read: the values given to `aclrtSetMemcpyDesc` are
//! remembered, and become a copy when it is queued. Descriptors written by other means are not seen.

use super::copy::copied;
use crate::abi::*;
use crate::calls::actions::{launched_as, out, recorded, recorded_as};
use crate::calls::interpose;
use crate::heap::record_call;
use crate::record::Hook;
use crate::state::limits::Limit;
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::{Copy, RangeUse};
use std::ffi::c_void;
use std::ptr::null_mut;

interpose! {
    /// Remembers the contents of the descriptor.
    fn aclrtSetMemcpyDesc(desc: *mut c_void, kind: aclrtMemcpyKind, src: *mut c_void, dst: *mut c_void, count: usize,
        config: *mut c_void) -> aclError = described (desc, kind, src, dst, count);
    /// Records both ends, and the stream.
    fn aclrtMemcpyAsyncWithDesc(desc: *mut c_void, kind: aclrtMemcpyKind, stream: aclrtStream) -> aclError
        = copied_as_described (desc, kind, stream);
    /// Records where the addresses are stored; their values are known on the device only.
    fn aclrtMemcpyAsyncWithOffset(dst: *mut *mut c_void, dest_max: usize, dst_offset: usize, src: *mut *const c_void, count: usize,
        src_offset: usize, kind: aclrtMemcpyKind, stream: aclrtStream) -> aclError
        = launched_as [dst, dst_offset, src, src_offset, count, stream] (addresses(dst, dest_max, src, count, kind), stream, kind);
    fn aclrtGetSymbolAddress(symbol: *const c_void, address: *mut *mut c_void) -> aclError = recorded [symbol, out(address)];
    /// Records the end that has an address.
    fn aclrtMemcpyFromSymbol(dst: *mut c_void, dst_max: usize, symbol: *const c_void, count: usize, offset: usize,
        kind: aclrtMemcpyKind) -> aclError
        = launched_as [symbol, offset, count] (to_host(dst, dst_max, symbol, count, kind), null_mut::<c_void>(), kind);
    fn aclrtMemcpyFromSymbolAsync(dst: *mut c_void, dst_max: usize, symbol: *const c_void, count: usize, offset: usize,
        kind: aclrtMemcpyKind, stream: aclrtStream) -> aclError
        = launched_as [symbol, offset, count, stream] (to_host(dst, dst_max, symbol, count, kind), stream, kind);
    fn aclrtMemcpyToSymbol(symbol: *const c_void, src: *const c_void, count: usize, offset: usize, kind: aclrtMemcpyKind) -> aclError
        = launched_as [symbol, offset, count] (from_host(src, symbol, count, kind), null_mut::<c_void>(), kind);
    fn aclrtMemcpyToSymbolAsync(symbol: *const c_void, src: *const c_void, count: usize, offset: usize, kind: aclrtMemcpyKind,
        stream: aclrtStream) -> aclError
        = launched_as [symbol, offset, count, stream] (from_host(src, symbol, count, kind), stream, kind);
}

/// Maximum number of remembered descriptors.
const MAX_DESCRIPTORS: usize = 1 << 14;

fn described(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    desc: *mut c_void,
    kind: aclrtMemcpyKind,
    src: *mut c_void,
    dst: *mut c_void,
    count: usize,
) -> aclError {
    let status = forward();
    let (to, from, count) = (dst as u64, src as u64, count as u64);
    hook.record(|recorder| {
        if status == 0 {
            let mut all = recorder.process.calls.descriptors.lock();
            if all.len() >= MAX_DESCRIPTORS {
                Limit::CopyDescriptors.leave_out(all.len() as u64);
                all.clear();
            }
            let room = count;
            all.insert(
                desc as u64,
                Copy {
                    to,
                    room,
                    from,
                    count,
                },
            );
        }
        record_call(recorder, kind, &[desc as u64, to, from, count], status);
    });
    status
}

fn copied_as_described(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    desc: *mut c_void,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> aclError {
    let known = hook.record(|recorder| {
        let all = recorder.process.calls.descriptors.lock();
        all.get(&(desc as u64)).copied()
    });
    let values = [desc as u64, stream as u64];
    match known.flatten() {
        Some(copy) => copied(hook, forward, kind, copy, stream as u64),
        None => recorded_as(hook, forward, |_| values, kind),
    }
}

/// Where the runtime reads the addresses of both ends; nothing where it refuses.
fn addresses(
    dst: *mut *mut c_void,
    dest_max: usize,
    src: *mut *const c_void,
    count: usize,
    kind: aclrtMemcpyKind,
) -> impl Iterator<Item = RangeUse> {
    let is_done = count > 0 && count <= dest_max && kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    let both = [dst as u64, src as u64].map(|address| RangeUse {
        address,
        size: 8,
        access: Access::Read,
    });
    both.into_iter().filter(move |_| is_done)
}

/// What a copy from a symbol writes on the host; nothing where it is not carried out.
fn to_host(
    dst: *mut c_void,
    room: usize,
    symbol: *const c_void,
    count: usize,
    kind: u32,
) -> Option<RangeUse> {
    let is_done = count <= room && may_copy(symbol, kind, ACL_MEMCPY_DEVICE_TO_HOST);
    is_done.then_some(RangeUse {
        address: dst as u64,
        size: count as u64,
        access: Access::Write,
    })
}

/// What a copy to a symbol reads on the host; nothing where it is not carried out.
fn from_host(
    src: *const c_void,
    symbol: *const c_void,
    count: usize,
    kind: u32,
) -> Option<RangeUse> {
    may_copy(symbol, kind, ACL_MEMCPY_HOST_TO_DEVICE).then_some(RangeUse {
        address: src as u64,
        size: count as u64,
        access: Access::Read,
    })
}

fn may_copy(symbol: *const c_void, kind: u32, meant: u32) -> bool {
    !symbol.is_null() && (kind == meant || kind == ACL_MEMCPY_DEFAULT)
}
