//! Pinned host memory: `aclrtMallocHost`, `aclrtFreeHost`.

use crate::abi::{aclError, aclrtMallocConfig};
use crate::calls::interpose;
use crate::heap::{self, Request};
use crate::record::Hook;
use aclsan_guards::left_redzone;
use aclsan_os::out_ptr::OutPtr;
use std::ffi::c_void;

interpose! {
    /// Records the block when the runtime has given it out.
    fn aclrtMallocHost(host_ptr: *mut *mut c_void, size: usize) -> aclError = on_malloc_host => MALLOC_HOST;
    /// As `aclrtMallocHost`.
    fn aclrtMallocHostWithCfg(ptr: *mut *mut c_void, size: u64, cfg: *mut aclrtMallocConfig) -> aclError = on_malloc_host_with_config;
    /// Records the release before it happens.
    fn aclrtFreeHost(host_ptr: *mut c_void) -> aclError = on_free_host => FREE_HOST;
    /// As `aclrtFreeHost`; the runtime waits for the device first.
    fn aclrtFreeHostWithDevSync(host_ptr: *mut c_void) -> aclError = on_free_host;
}

fn on_malloc_host(
    hook: &Hook,
    next: aclrtMallocHost::Fn,
    host_ptr: *mut *mut c_void,
    size: usize,
) -> aclError {
    heap::allocate_pinned(
        hook,
        Request {
            // SAFETY: where the caller wants the address, by the prototype.
            out: unsafe { OutPtr::new(host_ptr) },
            size: size as u64,
            argument: 0,
        },
        |size| {
            // SAFETY: the caller's own arguments, but for a size that may be larger.
            unsafe { next(host_ptr, size as usize) }
        },
    )
}

fn on_malloc_host_with_config(
    hook: &Hook,
    next: aclrtMallocHostWithCfg::Fn,
    ptr: *mut *mut c_void,
    size: u64,
    cfg: *mut aclrtMallocConfig,
) -> aclError {
    heap::allocate_pinned(
        hook,
        Request {
            // SAFETY: where the caller wants the address, by the prototype.
            out: unsafe { OutPtr::new(ptr) },
            size,
            argument: 0,
        },
        |size| {
            // SAFETY: the caller's own arguments, but for a size that may be larger.
            unsafe { next(ptr, size, cfg) }
        },
    )
}

fn on_free_host(hook: &Hook, next: aclrtFreeHost::Fn, host_ptr: *mut c_void) -> aclError {
    // SAFETY: the caller's own argument, or the start of the block that it names.
    let forward = || left_redzone::release(host_ptr, |start| unsafe { next(start) });
    heap::release(hook, host_ptr as u64, forward)
}
