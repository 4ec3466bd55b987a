//! Host memory registered for devices.

use crate::abi::{aclError, aclrtHostRegisterType};
use crate::calls::actions::{self, out, recorded_as, written};
use crate::calls::interpose;
use crate::heap::{self, record_call, record_object};
use crate::record::Hook;
use aclsan_os::maps;
use std::ffi::c_void;

interpose! {
    /// Records the range, and its device address.
    fn aclrtHostRegister(ptr: *mut c_void, size: u64, r#type: aclrtHostRegisterType, dev_ptr: *mut *mut c_void) -> aclError
        = registered (ptr, size, r#type, dev_ptr);
    /// Records the range.
    fn aclrtHostRegisterV2(ptr: *mut c_void, size: u64, flag: u32) -> aclError = registered (ptr, size, flag, std::ptr::null_mut());
    /// Records the device address of the range.
    fn aclrtHostGetDevicePointer(p_host: *mut c_void, p_device: *mut *mut c_void, flag: u32) -> aclError
        = recorded_as [p_host, out(p_device)] (flag);
    /// Records the unregistration, and whether the memory still exists.
    fn aclrtHostUnregister(ptr: *mut c_void) -> aclError = unregistered (ptr);
}

fn registered(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    host: *mut c_void,
    size: u64,
    kind: u32,
    device: *mut *mut c_void,
) -> aclError {
    let status = forward();
    let device = written(device, status == 0).map_or(0, |device| device as u64);
    let host = host as u64;
    hook.record(|recorder| {
        if status == 0 {
            recorder.detect_device(); // It has one: the runtime has just mapped memory there.
            let call = recorder.call(kind);
            record_object(recorder, &call, host, size);
        }
        if status != 0 || device != 0 {
            record_call(recorder, kind, &[host, size, device], status);
        }
    });
    status
}

fn unregistered(hook: &Hook, forward: impl FnOnce() -> aclError, ptr: *mut c_void) -> aclError {
    if !ptr.is_null() && !maps::is_mapped(ptr) {
        actions::record(hook, 0, &[ptr as u64], 0);
    }
    heap::release(hook, ptr as u64, forward)
}
