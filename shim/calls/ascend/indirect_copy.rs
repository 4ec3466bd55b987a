//! Copies with indirect ends: by descriptor, by pointers on the device, by symbol.
//!
//! A descriptor is in the program's own device memory, which the shim does not read: the values given to `aclrtSetMemcpyDesc` are
//! remembered, and become a copy when it is queued. Descriptors written by other means are not seen.

use super::copy::one_dimensional;
use super::stream::written_handle;
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::RecordEvents;
use crate::record::Hook;
use crate::state::limits::Limit;
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::{Copy, RangeUse};
use std::ffi::c_void;

interpose! {
    /// Remembers the contents of the descriptor.
    fn aclrtSetMemcpyDesc(desc: *mut c_void, kind: aclrtMemcpyKind, src: *mut c_void, dst: *mut c_void, count: usize,
        config: *mut c_void) -> aclError = on_set_descriptor;
    /// Records both ends, and the stream.
    fn aclrtMemcpyAsyncWithDesc(desc: *mut c_void, kind: aclrtMemcpyKind, stream: aclrtStream) -> aclError = on_copy_descriptor;
    /// Records where the addresses are stored; their values are known on the device only.
    fn aclrtMemcpyAsyncWithOffset(dst: *mut *mut c_void, dest_max: usize, dst_offset: usize, src: *mut *const c_void, count: usize,
        src_offset: usize, kind: aclrtMemcpyKind, stream: aclrtStream) -> aclError = on_copy_offset;
    fn aclrtGetSymbolAddress(symbol: *const c_void, address: *mut *mut c_void) -> aclError = on_symbol_address;
    /// Records the end that has an address.
    fn aclrtMemcpyFromSymbol(dst: *mut c_void, dst_max: usize, symbol: *const c_void, count: usize, offset: usize,
        kind: aclrtMemcpyKind) -> aclError = on_from_symbol;
    fn aclrtMemcpyFromSymbolAsync(dst: *mut c_void, dst_max: usize, symbol: *const c_void, count: usize, offset: usize,
        kind: aclrtMemcpyKind, stream: aclrtStream) -> aclError = on_from_symbol_async;
    fn aclrtMemcpyToSymbol(symbol: *const c_void, src: *const c_void, count: usize, offset: usize, kind: aclrtMemcpyKind)
        -> aclError = on_to_symbol;
    fn aclrtMemcpyToSymbolAsync(symbol: *const c_void, src: *const c_void, count: usize, offset: usize, kind: aclrtMemcpyKind,
        stream: aclrtStream) -> aclError = on_to_symbol_async;
}

/// Maximum number of remembered descriptors.
const MAX_DESCRIPTORS: usize = 1 << 14;

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_set_descriptor(
    hook: &Hook,
    next: aclrtSetMemcpyDesc::Fn,
    desc: *mut c_void,
    kind: aclrtMemcpyKind,
    src: *mut c_void,
    dst: *mut c_void,
    count: usize,
    config: *mut c_void,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(desc, kind, src, dst, count, config) };
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
        recorder.record_call(kind, &[desc as u64, to, from, count], status);
    });
    status
}

fn on_copy_descriptor(
    hook: &Hook,
    next: aclrtMemcpyAsyncWithDesc::Fn,
    desc: *mut c_void,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> aclError {
    let known = hook.record(|recorder| {
        let all = recorder.process.calls.descriptors.lock();
        all.get(&(desc as u64)).copied()
    });
    match known.flatten() {
        // SAFETY: the caller's own arguments.
        Some(copy) => one_dimensional(hook, kind, copy, stream as u64, || unsafe {
            next(desc, kind, stream)
        }),
        None => {
            // SAFETY: the caller's own arguments.
            let status = unsafe { next(desc, kind, stream) };
            hook.record(|recorder| {
                recorder.record_call(kind, &[desc as u64, stream as u64], status)
            });
            status
        }
    }
}

/// Records the ranges, the call, and its status.
pub(super) fn used(
    hook: &Hook,
    argument: u32,
    ranges: &[(u64, u64, Access)],
    stream: aclrtStream,
    values: &[u64],
    forward: impl FnOnce() -> i32,
) -> i32 {
    hook.record(|recorder| {
        let call = recorder.call(argument);
        for &(address, size, access) in ranges {
            let range = RangeUse {
                address,
                size,
                access,
            };
            recorder.record_use(&call, range, stream as u64);
        }
    });
    let status = forward();
    hook.record(|recorder| recorder.record_call(argument, values, status));
    status
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_copy_offset(
    hook: &Hook,
    next: aclrtMemcpyAsyncWithOffset::Fn,
    dst: *mut *mut c_void,
    dest_max: usize,
    dst_offset: usize,
    src: *mut *const c_void,
    count: usize,
    src_offset: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> aclError {
    let (to, from) = (dst as u64, src as u64);
    // SAFETY: the caller's own arguments.
    let forward = || unsafe {
        next(
            dst, dest_max, dst_offset, src, count, src_offset, kind, stream,
        )
    };
    let is_done = count > 0 && count <= dest_max && kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    let ranges = [(to, 8, Access::Read), (from, 8, Access::Read)];
    let values = [
        to,
        dst_offset as u64,
        from,
        src_offset as u64,
        count as u64,
        stream as u64,
    ];
    used(
        hook,
        kind,
        if is_done { &ranges } else { &[] },
        stream,
        &values,
        forward,
    )
}

fn on_symbol_address(
    hook: &Hook,
    next: aclrtGetSymbolAddress::Fn,
    symbol: *const c_void,
    address: *mut *mut c_void,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(symbol, address) };
    let found = if status == 0 {
        written_handle(address)
    } else {
        0
    };
    hook.record(|recorder| recorder.record_call(0, &[symbol as u64, found], status));
    status
}

/// Whether a copy from a symbol (or to one) is carried out; otherwise it touches nothing.
fn is_done(reads: bool, kind: u32, symbol: *const c_void) -> bool {
    let one = if reads {
        ACL_MEMCPY_DEVICE_TO_HOST
    } else {
        ACL_MEMCPY_HOST_TO_DEVICE
    };
    !symbol.is_null() && (kind == one || kind == ACL_MEMCPY_DEFAULT)
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_from_symbol(
    hook: &Hook,
    next: aclrtMemcpyFromSymbol::Fn,
    dst: *mut c_void,
    dst_max: usize,
    symbol: *const c_void,
    count: usize,
    offset: usize,
    kind: aclrtMemcpyKind,
) -> aclError {
    let range = [(dst as u64, count as u64, Access::Write)];
    let is_done = is_done(true, kind, symbol) && count <= dst_max;
    let values = [symbol as u64, offset as u64, count as u64];
    let stream = std::ptr::null_mut();
    // SAFETY: the caller's own arguments.
    used(
        hook,
        kind,
        if is_done { &range } else { &[] },
        stream,
        &values,
        || unsafe { next(dst, dst_max, symbol, count, offset, kind) },
    )
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_from_symbol_async(
    hook: &Hook,
    next: aclrtMemcpyFromSymbolAsync::Fn,
    dst: *mut c_void,
    dst_max: usize,
    symbol: *const c_void,
    count: usize,
    offset: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> aclError {
    let range = [(dst as u64, count as u64, Access::Write)];
    let is_done = is_done(true, kind, symbol) && count <= dst_max;
    let values = [symbol as u64, offset as u64, count as u64, stream as u64];
    // SAFETY: the caller's own arguments.
    used(
        hook,
        kind,
        if is_done { &range } else { &[] },
        stream,
        &values,
        || unsafe { next(dst, dst_max, symbol, count, offset, kind, stream) },
    )
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_to_symbol(
    hook: &Hook,
    next: aclrtMemcpyToSymbol::Fn,
    symbol: *const c_void,
    src: *const c_void,
    count: usize,
    offset: usize,
    kind: aclrtMemcpyKind,
) -> aclError {
    let range = [(src as u64, count as u64, Access::Read)];
    let is_done = is_done(false, kind, symbol);
    let values = [symbol as u64, offset as u64, count as u64];
    let stream = std::ptr::null_mut();
    // SAFETY: the caller's own arguments.
    used(
        hook,
        kind,
        if is_done { &range } else { &[] },
        stream,
        &values,
        || unsafe { next(symbol, src, count, offset, kind) },
    )
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_to_symbol_async(
    hook: &Hook,
    next: aclrtMemcpyToSymbolAsync::Fn,
    symbol: *const c_void,
    src: *const c_void,
    count: usize,
    offset: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> aclError {
    let range = [(src as u64, count as u64, Access::Read)];
    let is_done = is_done(false, kind, symbol);
    let values = [symbol as u64, offset as u64, count as u64, stream as u64];
    // SAFETY: the caller's own arguments.
    used(
        hook,
        kind,
        if is_done { &range } else { &[] },
        stream,
        &values,
        || unsafe { next(symbol, src, count, offset, kind, stream) },
    )
}
