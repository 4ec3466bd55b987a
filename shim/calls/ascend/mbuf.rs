//! Shared buffers: handles to reference-counted data, in chains.

use super::stream::{made, written_handle};
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{self, RecordEvents};
use crate::record::Hook;
use std::ffi::c_void;

interpose! {
    /// Records the handle and its bytes.
    fn aclrtAllocBuf(buf: *mut aclrtMbuf, size: usize) -> aclError = on_alloc;
    /// Records a second handle to bytes that are already counted.
    fn aclrtCopyBufRef(of: aclrtMbuf, buf: *mut aclrtMbuf) -> aclError = on_copy;
    /// Records the release of a handle, and of the chain that it heads.
    fn aclrtFreeBuf(buf: aclrtMbuf) -> aclError = on_free;
    /// Records that the chain takes over `buf`, which is freed with its head from now on (driver ef377e95).
    fn aclrtAppendBufChain(head: aclrtMbuf, buf: aclrtMbuf) -> aclError = on_append;
    fn aclrtGetBufData(buf: aclrtMbuf, data: *mut *mut c_void, size: *mut usize) -> aclError = on_data;
}

fn on_alloc(hook: &Hook, next: aclrtAllocBuf::Fn, buf: *mut aclrtMbuf, size: usize) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(buf, size) };
    made(hook, buf, size as u64, status)
}

fn on_copy(hook: &Hook, next: aclrtCopyBufRef::Fn, of: aclrtMbuf, buf: *mut aclrtMbuf) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(of, buf) };
    made(hook, buf, 0, status)
}

fn on_free(hook: &Hook, next: aclrtFreeBuf::Fn, buf: aclrtMbuf) -> aclError {
    // SAFETY: the caller's own argument.
    heap::release(hook, buf as u64, || unsafe { next(buf) })
}

fn on_append(
    hook: &Hook,
    next: aclrtAppendBufChain::Fn,
    head: aclrtMbuf,
    buf: aclrtMbuf,
) -> aclError {
    // SAFETY: the caller's own arguments.
    heap::release(hook, buf as u64, || unsafe { next(head, buf) })
}

fn on_data(
    hook: &Hook,
    next: aclrtGetBufData::Fn,
    buf: aclrtMbuf,
    data: *mut *mut c_void,
    size: *mut usize,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(buf, data, size) };
    let (address, bytes) = match status {
        // SAFETY: null, or a pointer through which the runtime has written a number on success.
        0 => (
            written_handle(data),
            unsafe { size.as_ref() }.map_or(0, |&size| size as u64),
        ),
        _ => (0, 0),
    };
    hook.record(|recorder| recorder.record_call(0, &[buf as u64, address, bytes], status));
    status
}
