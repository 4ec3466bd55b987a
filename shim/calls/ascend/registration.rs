//! Host memory registered for devices.

use crate::abi::{aclError, aclrtHostRegisterType};
use crate::calls::interpose;
use crate::heap::{self, RecordEvents};
use crate::record::Hook;
use aclsan_os::maps;
use std::ffi::c_void;

interpose! {
    /// Records the range, and its device address.
    fn aclrtHostRegister(ptr: *mut c_void, size: u64, r#type: aclrtHostRegisterType, dev_ptr: *mut *mut c_void) -> aclError = on_register;
    /// Records the range.
    fn aclrtHostRegisterV2(ptr: *mut c_void, size: u64, flag: u32) -> aclError = on_register_v2;
    /// Records the device address of the range.
    fn aclrtHostGetDevicePointer(p_host: *mut c_void, p_device: *mut *mut c_void, flag: u32) -> aclError = on_get_device_pointer;
    /// Records the unregistration, and whether the memory still exists.
    fn aclrtHostUnregister(ptr: *mut c_void) -> aclError = on_unregister;
}

/// The value that the runtime wrote to an out-parameter; 0 if it is null.
fn written(pointer: *mut *mut c_void) -> u64 {
    // SAFETY: null, or the caller's own pointer, through which the runtime writes one in any call that succeeds.
    unsafe { pointer.as_ref() }.map_or(0, |&value| value as u64)
}

fn on_register(
    hook: &Hook,
    next: aclrtHostRegister::Fn,
    ptr: *mut c_void,
    size: u64,
    kind: aclrtHostRegisterType,
    dev_ptr: *mut *mut c_void,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(ptr, size, kind, dev_ptr) };
    let device = if status == 0 { written(dev_ptr) } else { 0 };
    registered(hook, ptr as u64, size, kind, device, status)
}

fn on_register_v2(
    hook: &Hook,
    next: aclrtHostRegisterV2::Fn,
    ptr: *mut c_void,
    size: u64,
    flag: u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(ptr, size, flag) };
    registered(hook, ptr as u64, size, flag, 0, status)
}

fn registered(hook: &Hook, host: u64, size: u64, kind: u32, device: u64, status: i32) -> aclError {
    hook.record(|recorder| {
        if status == 0 {
            recorder.detect_device(); // It has one: the runtime has just mapped memory there.
            let call = recorder.call(kind);
            recorder.record_object(&call, host, size);
        }
        if status != 0 || device != 0 {
            recorder.record_call(kind, &[host, size, device], status);
        }
    });
    status
}

fn on_get_device_pointer(
    hook: &Hook,
    next: aclrtHostGetDevicePointer::Fn,
    p_host: *mut c_void,
    p_device: *mut *mut c_void,
    flag: u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(p_host, p_device, flag) };
    let device = if status == 0 { written(p_device) } else { 0 };
    hook.record(|recorder| recorder.record_call(flag, &[p_host as u64, device], status));
    status
}

fn on_unregister(hook: &Hook, next: aclrtHostUnregister::Fn, ptr: *mut c_void) -> aclError {
    if !ptr.is_null() && !maps::is_mapped(ptr) {
        hook.record(|recorder| recorder.record_call(0, &[ptr as u64], 0));
    }
    // SAFETY: the caller's own argument.
    heap::release(hook, ptr as u64, || unsafe { next(ptr) })
}
