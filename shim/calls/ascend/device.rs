//! Device memory: `aclrtMalloc`, `aclrtFree` and their variants.

use crate::abi::{aclError, aclrtMallocConfig, aclrtMemMallocPolicy};
use crate::calls::interpose;
use crate::heap::{self, Request};
use crate::record::Hook;
use aclsan_guards::left_redzone;
use aclsan_os::out_ptr::OutPtr;
use std::ffi::c_void;

interpose! {
    /// Records the block when the runtime has given it out.
    fn aclrtMalloc(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy) -> aclError = on_malloc => MALLOC;
    /// As `aclrtMalloc`; the runtime adds no padding.
    fn aclrtMallocAlign32(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy) -> aclError = on_malloc;
    /// As `aclrtMalloc`.
    fn aclrtMallocCached(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy) -> aclError = on_malloc;
    /// As `aclrtMalloc`; the runtime adds no padding.
    fn aclrtMallocWithCfg(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy, cfg: *mut aclrtMallocConfig)
        -> aclError = on_malloc_with_config;
    /// As `aclrtMallocWithCfg`.
    fn aclrtMallocForTaskScheduler(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy, cfg: *mut aclrtMallocConfig)
        -> aclError = on_malloc_with_config;
    /// Records the release before it happens: afterwards another thread may own the address.
    fn aclrtFree(dev_ptr: *mut c_void) -> aclError = on_free => FREE;
    /// As `aclrtFree`; the runtime waits for the device first.
    fn aclrtFreeWithDevSync(dev_ptr: *mut c_void) -> aclError = on_free;
}

// In one function with the export, unless it is unoptimized: see MAX_HOOK_FRAME.
#[cfg_attr(not(debug_assertions), inline(always))]
fn on_malloc(
    hook: &Hook,
    next: aclrtMalloc::Fn,
    dev_ptr: *mut *mut c_void,
    size: usize,
    policy: aclrtMemMallocPolicy,
) -> aclError {
    heap::allocate(
        hook,
        Request {
            // SAFETY: where the caller wants the address, by the prototype.
            out: unsafe { OutPtr::new(dev_ptr) },
            size: size as u64,
            argument: policy,
        },
        |size| {
            // SAFETY: the caller's own arguments, but for a size that may be larger.
            unsafe { next(dev_ptr, size as usize, policy) }
        },
    )
}

fn on_malloc_with_config(
    hook: &Hook,
    next: aclrtMallocWithCfg::Fn,
    dev_ptr: *mut *mut c_void,
    size: usize,
    policy: aclrtMemMallocPolicy,
    cfg: *mut aclrtMallocConfig,
) -> aclError {
    heap::allocate(
        hook,
        Request {
            // SAFETY: where the caller wants the address, by the prototype.
            out: unsafe { OutPtr::new(dev_ptr) },
            size: size as u64,
            argument: policy,
        },
        |size| {
            // SAFETY: the caller's own arguments, but for a size that may be larger.
            unsafe { next(dev_ptr, size as usize, policy, cfg) }
        },
    )
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn on_free(hook: &Hook, next: aclrtFree::Fn, dev_ptr: *mut c_void) -> aclError {
    // SAFETY: the caller's own argument, or the start of the block that it names.
    let forward = || left_redzone::release(dev_ptr, |start| unsafe { next(start) });
    heap::release(hook, dev_ptr as u64, forward)
}
