//! Managed memory, and queries about addresses.

use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{self, RecordEvents, Request, guard_page, quarantine};
use crate::record::Hook;
use aclsan_guards::left_redzone;
use aclsan_os::out_ptr::OutPtr;
use std::ffi::c_void;

interpose! {
    /// Records the block when the runtime has given it out.
    fn aclrtMemAllocManaged(ptr: *mut *mut c_void, size: u64, flag: u32) -> aclError = on_allocate;
    /// Records the range.
    fn aclrtMemManagedAdvise(ptr: *const c_void, size: u64, advise: aclrtMemManagedAdviseType, location: aclrtMemManagedLocation)
        -> aclError = on_advise;
    /// Records the range and the stream.
    fn aclrtMemManagedPrefetchAsync(ptr: *const c_void, size: usize, location: aclrtMemManagedLocation, flags: u32, stream: aclrtStream)
        -> aclError = on_prefetch;
    /// Records the stream.
    fn aclrtMemManagedPrefetchBatchAsync(ptrs: *mut *const c_void, sizes: *mut usize, count: usize,
        prefetch_locs: *mut aclrtMemManagedLocation, prefetch_loc_idxs: *mut usize, num_prefetch_locs: usize, flags: u64,
        stream: aclrtStream) -> aclError = on_prefetch_batch;
    /// A freed block has no owner: it leaves quarantine first.
    fn aclrtPointerGetAttributes(ptr: *const c_void, attributes: *mut aclrtPtrAttributes) -> aclError = on_attributes;
    /// Removes our guards from the answer: the program asked for less.
    fn aclrtMemGetAddressRange(ptr: *mut c_void, pbase: *mut *mut c_void, psize: *mut usize) -> aclError = on_address_range => GET_ADDRESS_RANGE;
}

fn on_allocate(
    hook: &Hook,
    next: aclrtMemAllocManaged::Fn,
    ptr: *mut *mut c_void,
    size: u64,
    flag: u32,
) -> aclError {
    let argument = flag;
    let request = Request {
        // SAFETY: where the caller wants the address, by the prototype.
        out: unsafe { OutPtr::new(ptr) },
        size,
        argument,
    };
    // SAFETY: the caller's own arguments.
    heap::allocate(hook, request, |size| unsafe { next(ptr, size, flag) })
}

fn on_advise(
    hook: &Hook,
    next: aclrtMemManagedAdvise::Fn,
    ptr: *const c_void,
    size: u64,
    advise: aclrtMemManagedAdviseType,
    location: aclrtMemManagedLocation,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(ptr, size, advise, location) };
    note(hook, &[ptr as u64, size, advise.into()], status)
}

fn on_prefetch(
    hook: &Hook,
    next: aclrtMemManagedPrefetchAsync::Fn,
    ptr: *const c_void,
    size: usize,
    location: aclrtMemManagedLocation,
    flags: u32,
    stream: aclrtStream,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(ptr, size, location, flags, stream) };
    note(hook, &[ptr as u64, size as u64, stream as u64], status)
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_prefetch_batch(
    hook: &Hook,
    next: aclrtMemManagedPrefetchBatchAsync::Fn,
    ptrs: *mut *const c_void,
    sizes: *mut usize,
    count: usize,
    locations: *mut aclrtMemManagedLocation,
    indexes: *mut usize,
    location_count: usize,
    flags: u64,
    stream: aclrtStream,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe {
        next(
            ptrs,
            sizes,
            count,
            locations,
            indexes,
            location_count,
            flags,
            stream,
        )
    };
    note(hook, &[count as u64, stream as u64], status)
}

fn on_attributes(
    hook: &Hook,
    next: aclrtPointerGetAttributes::Fn,
    ptr: *const c_void,
    attributes: *mut aclrtPtrAttributes,
) -> aclError {
    hook.record(|recorder| quarantine::evict_containing(recorder, ptr as u64));
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(ptr, attributes) };
    if status == 0
        && let Some((_, _, page)) = guard_page::apparent_block(ptr as u64)
        // SAFETY: null, or the program's own, which the runtime has written on success.
        && let Some(attributes) = unsafe { attributes.as_mut() }
    {
        attributes.pageSize = page as u32;
    }
    status
}

fn on_address_range(
    hook: &Hook,
    next: aclrtMemGetAddressRange::Fn,
    ptr: *mut c_void,
    pbase: *mut *mut c_void,
    psize: *mut usize,
) -> aclError {
    hook.record(|recorder| quarantine::evict_containing(recorder, ptr as u64));
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(ptr, pbase, psize) };
    hook.record(|recorder| {
        recorder.record_call(0, &[], status);
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

/// Records a call.
fn note(hook: &Hook, values: &[u64], status: i32) -> aclError {
    hook.record(|recorder| recorder.record_call(0, values, status));
    status
}
