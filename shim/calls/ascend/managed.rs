//! Managed memory, and queries about addresses.

use crate::abi::*;
use crate::calls::actions::{allocated, recorded};
use crate::calls::interpose;
use crate::heap::{self, guard_page, quarantine, record_call};
use crate::record::Hook;
use aclsan_guards::left_redzone;
use std::ffi::c_void;

interpose! {
    fn aclrtMemAllocManaged(ptr: *mut *mut c_void, size: u64, flag: u32) -> aclError = allocated (ptr, size, flag) with size;
    fn aclrtMemManagedAdvise(ptr: *const c_void, size: u64, advise: aclrtMemManagedAdviseType, location: aclrtMemManagedLocation)
        -> aclError = recorded [ptr, size, advise];
    fn aclrtMemManagedPrefetchAsync(ptr: *const c_void, size: usize, location: aclrtMemManagedLocation, flags: u32, stream: aclrtStream)
        -> aclError = recorded [ptr, size, stream];
    fn aclrtMemManagedPrefetchBatchAsync(ptrs: *mut *const c_void, sizes: *mut usize, count: usize,
        prefetch_locs: *mut aclrtMemManagedLocation, prefetch_loc_idxs: *mut usize, num_prefetch_locs: usize, flags: u64,
        stream: aclrtStream) -> aclError = recorded [count, stream];
    /// A freed block has no owner: it leaves quarantine first.
    fn aclrtPointerGetAttributes(ptr: *const c_void, attributes: *mut aclrtPtrAttributes) -> aclError
        = attributes_given (ptr, attributes);
    /// Removes our guards from the answer: the program asked for less.
    fn aclrtMemGetAddressRange(ptr: *mut c_void, pbase: *mut *mut c_void, psize: *mut usize) -> aclError
        = range_given (ptr, pbase, psize) => GET_ADDRESS_RANGE;
}

fn attributes_given(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    ptr: *const c_void,
    attributes: *mut aclrtPtrAttributes,
) -> aclError {
    hook.record(|recorder| quarantine::evict_containing(recorder, ptr as u64));
    let status = forward();
    if status == 0
        && let Some((_, _, page)) = guard_page::apparent_block(ptr as u64)
        // SAFETY: null, or the program's own, which the runtime has written on success.
        && let Some(attributes) = unsafe { attributes.as_mut() }
    {
        attributes.pageSize = page as u32;
    }
    status
}

fn range_given(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    ptr: *mut c_void,
    pbase: *mut *mut c_void,
    psize: *mut usize,
) -> aclError {
    hook.record(|recorder| quarantine::evict_containing(recorder, ptr as u64));
    let status = forward();
    hook.record(|recorder| {
        record_call(recorder, 0, &[], status);
        if status != 0 || pbase.is_null() || psize.is_null() {
            return;
        }
        if let Some((base, bytes, _)) = guard_page::apparent_block(ptr as u64) {
            // SAFETY: not null, and the runtime has written it; the program reads it after this call.
            unsafe { pbase.write(base as *mut c_void) };
            // SAFETY: as above.
            unsafe { psize.write(bytes as usize) };
            return;
        }
        // SAFETY: not null, and the runtime has written it.
        let real = unsafe { pbase.read() } as u64;
        let base = left_redzone::program_address(real).unwrap_or(real);
        let Some(entry) = recorder.process.heap.live.get(base) else {
            return;
        };
        let rest = match entry.is_host() {
            true => recorder.process.host.rest(entry.id),
            false => 0,
        };
        let ours = left_redzone::length_before(base) + heap::added(&entry) + rest;
        // SAFETY: not null, and the runtime has written it.
        let size = unsafe { psize.read() };
        // SAFETY: as above, and the program reads it after this call.
        unsafe { psize.write(size.saturating_sub(ours as usize)) };
        // SAFETY: likewise.
        unsafe { pbase.write(base as *mut c_void) };
    });
    status
}
