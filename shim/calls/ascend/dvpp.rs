//! Media memory: `acldvppMalloc`, `hi_mpi_dvpp_malloc` and their releases.

use crate::abi::{aclError, aclrtMallocConfig, aclrtMemMallocPolicy, hi_s32, hi_u32, hi_u64};
use crate::calls::interpose;
use crate::heap::{self, Request};
use crate::record::Hook;
use aclsan_guards::left_redzone;
use aclsan_os::out_ptr::OutPtr;
use std::ffi::c_void;

interpose! {
    /// Records the block when the runtime has given it out.
    fn acldvppMalloc(dev_ptr: *mut *mut c_void, size: usize) -> aclError = on_malloc;
    /// As `acldvppMalloc`.
    fn acldvppMallocWithCfg(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy, cfg: *mut aclrtMallocConfig)
        -> aclError = on_malloc_with_config;
    /// Records the release before it happens.
    fn acldvppFree(dev_ptr: *mut c_void) -> aclError = on_free => DVPP_FREE;
    /// As `acldvppMalloc`; the runtime ignores the device argument and uses the thread's device.
    fn hi_mpi_dvpp_malloc(dev_id: hi_u32, dev_ptr: *mut *mut c_void, size: hi_u64) -> hi_s32 = on_mpi_malloc;
    /// Records the release before it happens.
    fn hi_mpi_dvpp_free(dev_ptr: *mut c_void) -> hi_s32 = on_free => MPI_DVPP_FREE;
}

fn on_malloc(
    hook: &Hook,
    next: acldvppMalloc::Fn,
    dev_ptr: *mut *mut c_void,
    size: usize,
) -> aclError {
    heap::allocate(
        hook,
        Request {
            // SAFETY: where the caller wants the address, by the prototype.
            out: unsafe { OutPtr::new(dev_ptr) },
            size: size as u64,
            argument: 0,
        },
        |size| {
            // SAFETY: the caller's own arguments, but for a size that may be larger.
            unsafe { next(dev_ptr, size as usize) }
        },
    )
}

fn on_malloc_with_config(
    hook: &Hook,
    next: acldvppMallocWithCfg::Fn,
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

fn on_mpi_malloc(
    hook: &Hook,
    next: hi_mpi_dvpp_malloc::Fn,
    dev_id: hi_u32,
    dev_ptr: *mut *mut c_void,
    size: hi_u64,
) -> hi_s32 {
    heap::allocate(
        hook,
        Request {
            // SAFETY: where the caller wants the address, by the prototype.
            out: unsafe { OutPtr::new(dev_ptr) },
            size,
            argument: 0,
        },
        |size| {
            // SAFETY: the caller's own arguments, but for a size that may be larger.
            unsafe { next(dev_id, dev_ptr, size) }
        },
    )
}

fn on_free(hook: &Hook, next: acldvppFree::Fn, dev_ptr: *mut c_void) -> aclError {
    // SAFETY: the caller's own argument, or the start of the block that it names.
    let forward = || left_redzone::release(dev_ptr, |start| unsafe { next(start) });
    heap::release(hook, dev_ptr as u64, forward)
}
