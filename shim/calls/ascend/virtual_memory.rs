//! Virtual memory: reserved ranges, handles to physical memory, mappings.
//!
//! A handle may have several references: `aclrtMemRetainAllocationHandle` takes one, and the `aclrtFreePhysical` that gives it back is
//! recorded as a call, since the handle stays alive.

use super::stream::ordered;
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{self, RecordEvents};
use crate::record::{Hook, Recorder};
use crate::state::process::Process;
use aclsan_log::Event;
use aclsan_log::Values;
use aclsan_os::lock::MutexGuard;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_tables::live::State;
use std::collections::BTreeMap;
use std::ffi::c_void;

interpose! {
    fn aclrtReserveMemAddress(address: *mut *mut c_void, size: usize, alignment: usize, expected: *mut c_void, flags: u64)
        -> aclError = on_reserve => RESERVE;
    fn aclrtReserveMemAddressNoUCMemory(address: *mut *mut c_void, size: usize, alignment: usize, expected: *mut c_void, flags: u64)
        -> aclError = on_reserve;
    fn aclrtReleaseMemAddress(address: *mut c_void) -> aclError = on_release => RELEASE;
    fn aclrtMallocPhysical(handle: *mut aclrtDrvMemHandle, size: usize, prop: *const aclrtPhysicalMemProp, flags: u64)
        -> aclError = on_malloc_physical => MALLOC_PHYSICAL;
    fn aclrtFreePhysical(handle: aclrtDrvMemHandle) -> aclError = on_free_physical => FREE_PHYSICAL;
    fn aclrtMemRetainAllocationHandle(address: *mut c_void, handle: *mut aclrtDrvMemHandle) -> aclError = on_retain;
    fn aclrtMapMem(address: *mut c_void, size: usize, offset: usize, handle: aclrtDrvMemHandle, flags: u64) -> aclError = on_map => MAP;
    fn aclrtMemMapNoAccess(address: *mut c_void, size: usize, offset: usize, handle: aclrtDrvMemHandle, flags: u64)
        -> aclError = on_map;
    fn aclrtMemMapSelectedLink(to: *mut c_void, size: usize, from: *mut c_void, link: u32) -> aclError = on_map_again;
    /// A mapping of this device's memory for another device. It goes with the memory.
    fn aclrtMemP2PMap(address: *mut c_void, size: usize, device: i32, flags: u64) -> aclError = on_map_for_peer;
    fn aclrtMemMapSetLink(handle: aclrtDrvMemHandle, link: aclrtMemLinkType) -> aclError = on_set_link;
    fn aclrtUnmapMem(address: *mut c_void) -> aclError = on_release => UNMAP;
    fn aclrtMemSetAccess(address: *mut c_void, size: usize, desc: *mut aclrtMemAccessDesc, count: usize) -> aclError = on_set_access;
    fn aclrtMemExportToShareableHandle(handle: aclrtDrvMemHandle, handle_type: aclrtMemHandleType, flags: u64, shareable: *mut u64)
        -> aclError = on_export;
    fn aclrtMemExportToShareableHandleV2(handle: aclrtDrvMemHandle, flags: u64, share_type: aclrtMemSharedHandleType, shareable: *mut c_void)
        -> aclError = on_export_v2;
    fn aclrtMemImportFromShareableHandle(shareable: u64, device: i32, handle: *mut aclrtDrvMemHandle) -> aclError = on_import;
    fn aclrtMemImportFromShareableHandleV2(shareable: *mut c_void, share_type: aclrtMemSharedHandleType, flags: u64, handle: *mut aclrtDrvMemHandle)
        -> aclError = on_import_v2;
}

ordered! {
    on_map_for_peer: aclrtMemP2PMap(address: *mut c_void, size: usize, device: i32, flags: u64),
        [address as u64, size as u64, device as u32 as u64, flags];
    on_set_link: aclrtMemMapSetLink(handle: aclrtDrvMemHandle, link: aclrtMemLinkType), [handle as u64, link.into()];
}

/// The value that the runtime wrote to the caller's out-parameter, if any.
fn written<T: Copy>(out: *mut T, status: i32) -> Option<T> {
    // SAFETY: null, or a pointer through which the runtime has written one on success.
    unsafe { out.as_ref() }.copied().filter(|_| status == 0)
}

/// Records the object that a call has created, or the failure.
fn made(recorder: &mut Recorder, call: &Call, out: *mut *mut c_void, size: u64, status: i32) {
    match written(out, status) {
        Some(thing) => {
            // An earlier handle of the same number is gone, with all of its references.
            lock_retained().remove(&(thing as u64));
            recorder.record_object(call, thing as u64, size);
        }
        None => {
            let site = call.site;
            recorder.event(&Event::AllocationFailed { site, size, status });
            recorder.define_status(status);
        }
    }
}

fn on_reserve(
    hook: &Hook,
    next: aclrtReserveMemAddress::Fn,
    address: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expected: *mut c_void,
    flags: u64,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(address, size, alignment, expected, flags) };
    hook.record(|recorder| {
        // Addresses belong to the process.
        let call = recorder.call_on(-1, 0);
        match written(address, status) {
            Some(address) => {
                recorder.record_object(&call, address as u64, size as u64);
            }
            None => recorder.finish_call(&call, &Values::default(), status), // not for lack of memory
        }
    });
    status
}

fn on_release(hook: &Hook, next: aclrtReleaseMemAddress::Fn, address: *mut c_void) -> aclError {
    // SAFETY: the caller's own argument.
    heap::release(hook, address as u64, || unsafe { next(address) })
}

fn on_malloc_physical(
    hook: &Hook,
    next: aclrtMallocPhysical::Fn,
    handle: *mut aclrtDrvMemHandle,
    size: usize,
    prop: *const aclrtPhysicalMemProp,
    flags: u64,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = heap::forward_or_flush(hook, || unsafe { next(handle, size, prop, flags) });
    hook.record(|recorder| {
        // SAFETY: null, or the properties that the caller has just given to the runtime.
        let location = unsafe { prop.as_ref() }.map(|prop| prop.location);
        let device = location
            .filter(|location| location.type_ == ACL_MEM_LOCATION_TYPE_DEVICE)
            .map_or(-1, |location| location.id as i32);
        let call = recorder.call_on(device, 0);
        made(recorder, &call, handle, size as u64, status);
    });
    status
}

/// References of `aclrtMemRetainAllocationHandle` are given back first.
fn on_free_physical(
    hook: &Hook,
    next: aclrtFreePhysical::Fn,
    handle: aclrtDrvMemHandle,
) -> aclError {
    if !give_back(handle as u64) {
        // SAFETY: the caller's own argument.
        return heap::release(hook, handle as u64, || unsafe { next(handle) });
    }
    // SAFETY: the caller's own argument.
    let status = unsafe { next(handle) };
    if status != 0 {
        retain(handle as u64);
    }
    hook.record(|recorder| recorder.record_call(0, &[handle as u64], status));
    status
}

fn on_retain(
    hook: &Hook,
    next: aclrtMemRetainAllocationHandle::Fn,
    address: *mut c_void,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(address, handle) };
    let retained = written(handle, status).map_or(0, |handle| handle as u64);
    if retained != 0 {
        retain(retained);
    }
    hook.record(|recorder| recorder.record_call(0, &[address as u64, retained], status));
    status
}

fn lock_retained() -> MutexGuard<'static, BTreeMap<u64, u32>> {
    let retained = &Process::current().calls.retained;
    retained.lock()
}

fn retain(handle: u64) {
    *lock_retained().entry(handle).or_default() += 1;
}

/// Gives back a reference; `false` if there was none.
fn give_back(handle: u64) -> bool {
    let mut retained = lock_retained();
    let Some(count) = retained.get_mut(&handle) else {
        return false;
    };
    *count -= 1;
    if *count == 0 {
        retained.remove(&handle);
    }
    true
}

fn on_map(
    hook: &Hook,
    next: aclrtMapMem::Fn,
    address: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(address, size, offset, handle, flags) };
    hook.record(|recorder| {
        let (address, size) = (address as u64, size as u64);
        let device = device_of(recorder, Family::Physical, handle as u64);
        let call = recorder.call_on(device, 0);
        let values = Values::of([address, size, offset as u64, handle as u64]);
        recorder.finish_call(&call, &values, status);
        if status == 0 {
            recorder.record_object(&call, address, size);
        }
    });
    status
}

/// The device of a live object; −1 if it is not known or has none.
fn device_of(recorder: &Recorder, family: Family, named: u64) -> i32 {
    let entry = recorder.process.heap.live.get(family.key(named));
    entry.map_or(-1, |entry| i32::from(entry.device))
}

/// Duplicates at `to` the mappings that start at `from`, as many as overlap `size` bytes.
fn on_map_again(
    hook: &Hook,
    next: aclrtMemMapSelectedLink::Fn,
    to: *mut c_void,
    size: usize,
    from: *mut c_void,
    link: u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(to, size, from, link) };
    hook.record(|recorder| {
        let (to, size, from) = (to as u64, size as u64, from as u64);
        let device = device_of(recorder, Family::Mapped, from);
        let call = recorder.call_on(device, 0);
        let values = Values::of([to, size, from, link.into()]);
        recorder.finish_call(&call, &values, status);
        let mut done = 0;
        while status == 0 && done < size {
            let source = recorder
                .process
                .heap
                .live
                .get(Family::Mapped.key(from.wrapping_add(done)));
            let source = source.filter(|entry| entry.state == State::Live && entry.size > 0);
            let step = source.map_or(size - done, |entry| entry.size);
            recorder.record_object(&call, to.wrapping_add(done), step);
            done = done.saturating_add(step);
        }
    });
    status
}

fn on_set_access(
    hook: &Hook,
    next: aclrtMemSetAccess::Fn,
    address: *mut c_void,
    size: usize,
    desc: *mut aclrtMemAccessDesc,
    count: usize,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(address, size, desc, count) };
    let values = [address as u64, size as u64, count as u64];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

fn on_export(
    hook: &Hook,
    next: aclrtMemExportToShareableHandle::Fn,
    handle: aclrtDrvMemHandle,
    handle_type: aclrtMemHandleType,
    flags: u64,
    shareable: *mut u64,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(handle, handle_type, flags, shareable) };
    exported(hook, handle, flags, shareable, status)
}

/// Handles of every type start with 8 bytes that identify them here.
fn on_export_v2(
    hook: &Hook,
    next: aclrtMemExportToShareableHandleV2::Fn,
    handle: aclrtDrvMemHandle,
    flags: u64,
    share_type: aclrtMemSharedHandleType,
    shareable: *mut c_void,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(handle, flags, share_type, shareable) };
    let is_number = share_type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT;
    let number = if is_number {
        shareable.cast()
    } else {
        std::ptr::null_mut()
    };
    exported(hook, handle, flags, number, status)
}

fn exported(
    hook: &Hook,
    handle: aclrtDrvMemHandle,
    flags: u64,
    shareable: *mut u64,
    status: i32,
) -> aclError {
    let shareable = written(shareable, status).unwrap_or(0);
    hook.record(|recorder| recorder.record_call(0, &[handle as u64, flags, shareable], status));
    status
}

fn on_import(
    hook: &Hook,
    next: aclrtMemImportFromShareableHandle::Fn,
    shareable: u64,
    device: i32,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(shareable, device, handle) };
    imported(hook, Some(device), handle, status)
}

fn on_import_v2(
    hook: &Hook,
    next: aclrtMemImportFromShareableHandleV2::Fn,
    shareable: *mut c_void,
    share_type: aclrtMemSharedHandleType,
    flags: u64,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(shareable, share_type, flags, handle) };
    imported(hook, None, handle, status)
}

/// The bytes belong to the exporting process and are counted there.
fn imported(
    hook: &Hook,
    device: Option<i32>,
    handle: *mut aclrtDrvMemHandle,
    status: i32,
) -> aclError {
    hook.record(|recorder| {
        let device = device.or(recorder.thread.device).unwrap_or(-1);
        let call = recorder.call_on(device, 0);
        made(recorder, &call, handle, 0, status);
    });
    status
}
