//! Virtual memory: reserved ranges, handles to physical memory, mappings.
//!
//! A handle may have several references: `aclrtMemRetainAllocationHandle` takes one, and the `aclrtFreePhysical` that gives it back is
//! recorded as a call, since the handle stays alive.

use crate::abi::*;
use crate::calls::actions::{given, out, record, recorded, released, written};
use crate::calls::interpose;
use crate::heap::{self, finish_call, record_object};
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
use std::ptr::null_mut;

interpose! {
    fn aclrtReserveMemAddress(address: *mut *mut c_void, size: usize, alignment: usize, expected: *mut c_void, flags: u64) -> aclError
        = reserved (address, size) => RESERVE;
    fn aclrtReserveMemAddressNoUCMemory(address: *mut *mut c_void, size: usize, alignment: usize, expected: *mut c_void, flags: u64)
        -> aclError = reserved (address, size);
    fn aclrtReleaseMemAddress(address: *mut c_void) -> aclError = released (address) => RELEASE;
    fn aclrtMallocPhysical(handle: *mut aclrtDrvMemHandle, size: usize, prop: *const aclrtPhysicalMemProp, flags: u64) -> aclError
        = physical_allocated (handle, size, prop) => MALLOC_PHYSICAL;
    fn aclrtFreePhysical(handle: aclrtDrvMemHandle) -> aclError = physical_freed (handle) => FREE_PHYSICAL;
    fn aclrtMemRetainAllocationHandle(address: *mut c_void, handle: *mut aclrtDrvMemHandle) -> aclError = retained (address, handle);
    fn aclrtMapMem(address: *mut c_void, size: usize, offset: usize, handle: aclrtDrvMemHandle, flags: u64) -> aclError
        = mapped (address, size, offset, handle) => MAP;
    fn aclrtMemMapNoAccess(address: *mut c_void, size: usize, offset: usize, handle: aclrtDrvMemHandle, flags: u64) -> aclError
        = mapped (address, size, offset, handle);
    fn aclrtMemMapSelectedLink(to: *mut c_void, size: usize, from: *mut c_void, link: u32) -> aclError
        = mapped_again (to, size, from, link);
    /// A mapping of this device's memory for another device. It goes with the memory.
    fn aclrtMemP2PMap(address: *mut c_void, size: usize, device: i32, flags: u64) -> aclError = recorded [address, size, device, flags];
    fn aclrtMemMapSetLink(handle: aclrtDrvMemHandle, link: aclrtMemLinkType) -> aclError = recorded [handle, link];
    fn aclrtUnmapMem(address: *mut c_void) -> aclError = released (address) => UNMAP;
    fn aclrtMemSetAccess(address: *mut c_void, size: usize, desc: *mut aclrtMemAccessDesc, count: usize) -> aclError
        = recorded [address, size, count];
    fn aclrtMemExportToShareableHandle(handle: aclrtDrvMemHandle, handle_type: aclrtMemHandleType, flags: u64, shareable: *mut u64)
        -> aclError = recorded [handle, flags, out(shareable)];
    /// Handles of every type start with 8 bytes that identify them here.
    fn aclrtMemExportToShareableHandleV2(handle: aclrtDrvMemHandle, flags: u64, share_type: aclrtMemSharedHandleType,
        shareable: *mut c_void)
        -> aclError = recorded [handle, flags, out(number_of(share_type, shareable))];
    fn aclrtMemImportFromShareableHandle(shareable: u64, device: i32, handle: *mut aclrtDrvMemHandle) -> aclError
        = imported (Some(device), handle);
    fn aclrtMemImportFromShareableHandleV2(shareable: *mut c_void, share_type: aclrtMemSharedHandleType, flags: u64,
        handle: *mut aclrtDrvMemHandle) -> aclError = imported (None, handle);
}

/// Records the object that a call has created, or the failure.
fn made(recorder: &mut Recorder, call: &Call, out: *mut *mut c_void, size: u64, status: i32) {
    match written(out, status == 0) {
        Some(thing) => {
            // An earlier handle of the same number is gone, with all of its references.
            lock_retained().remove(&(thing as u64));
            record_object(recorder, call, thing as u64, size);
        }
        None => {
            let site = call.site;
            recorder.event(&Event::AllocationFailed { site, size, status });
            recorder.define_status(status);
            recorder.ask_memory();
        }
    }
}

fn reserved(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    address: *mut *mut c_void,
    size: usize,
) -> aclError {
    let status = forward();
    hook.record(|recorder| {
        // Addresses belong to the process.
        let call = recorder.call_on(-1, 0);
        match written(address, status == 0) {
            Some(address) => {
                record_object(recorder, &call, address as u64, size as u64);
            }
            None => finish_call(recorder, &call, &Values::default(), status), // not for lack of memory
        }
    });
    status
}

fn physical_allocated(
    hook: &Hook,
    forward: impl Fn() -> aclError,
    handle: *mut aclrtDrvMemHandle,
    size: usize,
    prop: *const aclrtPhysicalMemProp,
) -> aclError {
    let status = heap::forward_or_flush(hook, forward);
    hook.record(|recorder| {
        let location = given(prop).map(|prop| prop.location);
        let device = location
            .filter(|location| location.type_ == ACL_MEM_LOCATION_TYPE_DEVICE)
            .map_or(-1, |location| location.id as i32);
        let call = recorder.call_on(device, 0);
        made(recorder, &call, handle, size as u64, status);
    });
    status
}

/// References of `aclrtMemRetainAllocationHandle` are given back first.
fn physical_freed(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    handle: aclrtDrvMemHandle,
) -> aclError {
    if !give_back(handle as u64) {
        return heap::release(hook, handle as u64, forward);
    }
    let status = forward();
    if status != 0 {
        retain(handle as u64);
    }
    record(hook, 0, &[handle as u64], status);
    status
}

fn retained(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    address: *mut c_void,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    let status = forward();
    let retained = written(handle, status == 0).map_or(0, |handle| handle as u64);
    if retained != 0 {
        retain(retained);
    }
    record(hook, 0, &[address as u64, retained], status);
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

fn mapped(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    address: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
) -> aclError {
    let status = forward();
    hook.record(|recorder| {
        let (address, size) = (address as u64, size as u64);
        let device = device_of(recorder, Family::Physical, handle as u64);
        let call = recorder.call_on(device, 0);
        let values = Values::of([address, size, offset as u64, handle as u64]);
        finish_call(recorder, &call, &values, status);
        if status == 0 {
            record_object(recorder, &call, address, size);
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
fn mapped_again(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    to: *mut c_void,
    size: usize,
    from: *mut c_void,
    link: u32,
) -> aclError {
    let status = forward();
    hook.record(|recorder| {
        let (to, size, from) = (to as u64, size as u64, from as u64);
        let device = device_of(recorder, Family::Mapped, from);
        let call = recorder.call_on(device, 0);
        let values = Values::of([to, size, from, link.into()]);
        finish_call(recorder, &call, &values, status);
        let mut done = 0;
        while status == 0 && done < size {
            let source = recorder
                .process
                .heap
                .live
                .get(Family::Mapped.key(from.wrapping_add(done)));
            let source = source.filter(|entry| entry.state == State::Live && entry.size > 0);
            let step = source.map_or(size - done, |entry| entry.size);
            record_object(recorder, &call, to.wrapping_add(done), step);
            done = done.saturating_add(step);
        }
    });
    status
}

/// Where a handle to share is a number; null for other types.
fn number_of(share_type: aclrtMemSharedHandleType, shareable: *mut c_void) -> *mut u64 {
    match share_type {
        ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT => shareable.cast(),
        _ => null_mut(),
    }
}

/// The bytes belong to the exporting process and are counted there.
fn imported(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    device: Option<i32>,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    let status = forward();
    hook.record(|recorder| {
        let device = device.or(recorder.thread.device).unwrap_or(-1);
        let call = recorder.call_on(device, 0);
        made(recorder, &call, handle, 0, status);
    });
    status
}
