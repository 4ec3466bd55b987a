//! The lower layer, `rtMalloc`, `rtFree` and the like, for programs that call libruntime.so directly, as kernel launchers do.
//!
//! AscendCL's functions come through here too, nested in their hooks, and are not counted again. Other libraries of CANN (graph engine,
//! collectives) call this layer on their own account: what they allocate is not the program's and is passed on unrecorded.

use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{self, RecordEvents, Request, redzone_check};
use crate::record::Hook;
use crate::state::modules;
use crate::state::process::Process;
use crate::state::reentrancy::ReentrancyGuard;
use aclsan_guards::left_redzone;
use aclsan_os::out_ptr::OutPtr;
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::family::Family;
use std::ffi::c_void;
use std::path::Path;

interpose! {
    /// Records the block when the runtime has given it out.
    fn rtMalloc(dev_ptr: *mut *mut c_void, size: u64, kind: rtMemType_t, module: u16) -> rtError_t = on_malloc, rtMalloc;
    /// As `rtMalloc`.
    fn rtMallocCached(dev_ptr: *mut *mut c_void, size: u64, kind: rtMemType_t, module: u16) -> rtError_t = on_malloc, rtMallocCached;
    /// Records the release before it happens.
    fn rtFree(dev_ptr: *mut c_void) -> rtError_t = on_free, rtFree;
    /// As `rtMalloc`, for pinned memory.
    fn rtMallocHost(host_ptr: *mut *mut c_void, size: u64, module: u16) -> rtError_t = on_malloc_host, rtMallocHost;
    /// As `rtFree`, for pinned memory.
    fn rtFreeHost(host_ptr: *mut c_void) -> rtError_t = on_free, rtFreeHost;
    /// As `rtFree`; it waits for the device first.
    fn rtFreeWithDevSync(dev_ptr: *mut c_void) -> rtError_t = on_free, rtFreeWithDevSync;
    fn rtFreeHostWithDevSync(host_ptr: *mut c_void) -> rtError_t = on_free, rtFreeHostWithDevSync;
    fn rtsMalloc(dev_ptr: *mut *mut c_void, size: u64, policy: rtMallocPolicy, advice: rtMallocAdvise, config: *mut rtMallocConfig_t) -> rtError_t
        = on_malloc_for, rtsMalloc;
    fn rtMemAlloc(dev_ptr: *mut *mut c_void, size: u64, policy: rtMallocPolicy, advice: rtMallocAdvise, config: *mut rtMallocConfig_t) -> rtError_t
        = on_malloc_for, rtMemAlloc;
    fn rtsFree(dev_ptr: *mut c_void) -> rtError_t = on_free, rtsFree;
    fn rtsMallocHost(host_ptr: *mut *mut c_void, size: u64, config: *const rtMallocConfig_t) -> rtError_t = on_malloc_host_for, rtsMallocHost;
    fn rtsFreeHost(host_ptr: *mut c_void) -> rtError_t = on_free, rtsFreeHost;
    fn rtStreamSynchronize(stream: rtStream_t) -> rtError_t = on_stream, rtStreamSynchronize;
    fn rtStreamSynchronizeWithTimeout(stream: rtStream_t, timeout: i32) -> rtError_t = on_stream_timeout, rtStreamSynchronizeWithTimeout;
    fn rtsStreamSynchronize(stream: rtStream_t, timeout: i32) -> rtError_t = on_stream_timeout, rtsStreamSynchronize;
    fn rtDeviceSynchronize() -> rtError_t = on_device, rtDeviceSynchronize;
    fn rtDeviceSynchronizeWithTimeout(timeout: i32) -> rtError_t = on_device_timeout, rtDeviceSynchronizeWithTimeout;
    fn rtsDeviceSynchronize(timeout: i32) -> rtError_t = on_device_timeout, rtsDeviceSynchronize;
    fn rtEventSynchronize(event: rtEvent_t) -> rtError_t = on_stream, rtEventSynchronize;
    fn rtEventSynchronizeWithTimeout(event: rtEvent_t, timeout: i32) -> rtError_t = on_stream_timeout, rtEventSynchronizeWithTimeout;
    fn rtsEventSynchronize(event: rtEvent_t, timeout: i32) -> rtError_t = on_stream_timeout, rtsEventSynchronize;
}

/// A wait for the object that the first argument names. CANN's own waits count, too: completed work is completed.
fn on_stream(hook: &Hook, next: rtStreamSynchronize::Fn, handle: rtStream_t) -> rtError_t {
    // SAFETY: the caller's own argument.
    awaited(hook, next as *const (), &[handle as u64], || unsafe {
        next(handle)
    })
}

fn on_stream_timeout(
    hook: &Hook,
    next: rtStreamSynchronizeWithTimeout::Fn,
    handle: rtStream_t,
    timeout: i32,
) -> rtError_t {
    // SAFETY: the caller's own arguments.
    let forward = || unsafe { next(handle, timeout) };
    awaited(hook, next as *const (), &[handle as u64], forward)
}

fn on_device(hook: &Hook, next: rtDeviceSynchronize::Fn) -> rtError_t {
    // SAFETY: it has no arguments.
    awaited(hook, next as *const (), &[], || unsafe { next() })
}

fn on_device_timeout(
    hook: &Hook,
    next: rtDeviceSynchronizeWithTimeout::Fn,
    timeout: i32,
) -> rtError_t {
    // SAFETY: the caller's own argument.
    awaited(hook, next as *const (), &[], || unsafe { next(timeout) })
}

/// A wait. If CANN waits inside a call that is being forwarded, the wait belongs to that call; in its other waits no guard is checked,
/// since CANN may hold locks.
fn awaited(
    hook: &Hook,
    definition: *const (),
    values: &[u64],
    forward: impl FnOnce() -> rtError_t,
) -> rtError_t {
    let is_internal = is_internal(hook, definition);
    if is_internal && ReentrancyGuard::is_forwarding() {
        return forward();
    }
    let status = super::exception::wait(hook, forward);
    hook.record(|recorder| {
        crate::heap::redzone_check::check_before_report(recorder, status);
        let call = recorder.record_call(0, values, status);
        if status == 0 && !is_internal {
            redzone_check::check_after_sync(recorder, &call);
        }
    });
    status
}

/// Memory kinds that a copy can reach: default, HBM, DDR, and the last two for peers. Other kinds belong to schedulers and the chip's own
/// CPU.
const ORDINARY: [u32; 5] = [0x0, 0x2, 0x4, 0x10, 0x11];

fn on_malloc(
    hook: &Hook,
    next: rtMalloc::Fn,
    dev_ptr: *mut *mut c_void,
    size: u64,
    kind: rtMemType_t,
    module: u16,
) -> rtError_t {
    // SAFETY: the caller's own arguments, but for a size that may be larger.
    let forward = |size| unsafe { next(dev_ptr, size, kind, module) };
    let request = Request {
        // SAFETY: where the caller wants the address, by the prototype.
        out: unsafe { OutPtr::new(dev_ptr) },
        size,
        argument: kind,
    };
    let is_passed_on = !ORDINARY.contains(&(kind & 0xff)) || is_internal(hook, next as *const ());
    allocate(hook, request, is_passed_on, forward)
}

/// `RT_MEM_ADVISE_NONE`, `RT_MEM_ADVISE_CACHED`: the others are for media units and schedulers.
const PLAIN: [u32; 2] = [0, 3];

fn on_malloc_for(
    hook: &Hook,
    next: rtsMalloc::Fn,
    dev_ptr: *mut *mut c_void,
    size: u64,
    policy: rtMallocPolicy,
    advice: rtMallocAdvise,
    config: *mut rtMallocConfig_t,
) -> rtError_t {
    // SAFETY: the caller's own arguments, but for a size that may be larger.
    let forward = |size| unsafe { next(dev_ptr, size, policy, advice, config) };
    let request = Request {
        // SAFETY: where the caller wants the address, by the prototype.
        out: unsafe { OutPtr::new(dev_ptr) },
        size,
        argument: policy,
    };
    let is_passed_on = !PLAIN.contains(&advice) || is_internal(hook, next as *const ());
    allocate(hook, request, is_passed_on, forward)
}

fn on_malloc_host_for(
    hook: &Hook,
    next: rtsMallocHost::Fn,
    host_ptr: *mut *mut c_void,
    size: u64,
    config: *const rtMallocConfig_t,
) -> rtError_t {
    // SAFETY: the caller's own arguments, but for a size that may be larger.
    let forward = |size| unsafe { next(host_ptr, size, config) };
    allocate_host(hook, host_ptr, size, next as *const (), forward)
}

fn on_malloc_host(
    hook: &Hook,
    next: rtMallocHost::Fn,
    host_ptr: *mut *mut c_void,
    size: u64,
    module: u16,
) -> rtError_t {
    // SAFETY: the caller's own arguments, but for a size that may be larger.
    let forward = |size| unsafe { next(host_ptr, size, module) };
    allocate_host(hook, host_ptr, size, next as *const (), forward)
}

fn allocate_host(
    hook: &Hook,
    out: *mut *mut c_void,
    size: u64,
    definition: *const (),
    forward: impl Fn(u64) -> rtError_t + Copy,
) -> rtError_t {
    let request = Request {
        // SAFETY: where the caller wants the address, by the prototype.
        out: unsafe { OutPtr::new(out) },
        size,
        argument: 0,
    };
    allocate(hook, request, is_internal(hook, definition), forward)
}

fn allocate(
    hook: &Hook,
    request: Request,
    is_passed_on: bool,
    forward: impl Fn(u64) -> rtError_t + Copy,
) -> rtError_t {
    match is_passed_on {
        // It must not fail for lack of memory that only we hold.
        true => heap::forward_or_flush(hook, || forward(request.size)),
        false if hook.function.family() == Some(Family::Pinned) => {
            heap::allocate_pinned(hook, request, forward)
        }
        false => heap::allocate(hook, request, forward),
    }
}

fn on_free(hook: &Hook, next: rtFree::Fn, pointer: *mut c_void) -> rtError_t {
    // SAFETY: the caller's own argument, or the start of the block that it names.
    let forward = || left_redzone::release(pointer, |start| unsafe { next(start) });
    let address = pointer as u64;
    // A block of the program that CANN releases is released.
    let is_known = || {
        matches!(
            Process::current().heap.live.place(address),
            AddressInfo::Live(_, 0)
        )
    };
    if !is_known() && is_internal(hook, next as *const ()) {
        return forward();
    }
    heap::release(hook, address, forward)
}

/// Whether the caller is a library in the runtime's folder: CANN's own.
fn is_internal(hook: &Hook, definition: *const ()) -> bool {
    let folder = |address: u64| {
        let module = modules::at(address)?;
        Path::new(&module.path).parent().map(Path::to_owned)
    };
    let caller = hook.record(|recorder| recorder.caller()).flatten();
    let caller = caller.and_then(|caller| folder(caller - 1));
    caller.is_some_and(|caller| folder(definition as u64) == Some(caller))
}
