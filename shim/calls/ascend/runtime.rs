//! The lower layer, `rtMalloc`, `rtFree` and the like, for programs that call libruntime.so directly, as kernel launchers do.
//!
//! AscendCL's functions come through here too, nested in their hooks, and are not counted again. Other libraries of CANN (graph engine,
//! collectives) call this layer on their own account: what they allocate is not the program's and is passed on unrecorded.

use super::exception;
use crate::abi::*;
use crate::calls::actions::{self, request};
use crate::calls::interpose;
use crate::heap::{self, Request};
use crate::record::Hook;
use crate::state::modules;
use crate::state::process::Process;
use crate::state::reentrancy::ReentrancyGuard;
use aclsan_guards::left_redzone;
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::family::Family;
use std::ffi::c_void;
use std::path::Path;

interpose! {
    fn rtMalloc(dev_ptr: *mut *mut c_void, size: u64, kind: rtMemType_t, module: u16) -> rtError_t
        = allocated (dev_ptr, size, kind, next) with size knowing next, rtMalloc;
    fn rtMallocCached(dev_ptr: *mut *mut c_void, size: u64, kind: rtMemType_t, module: u16) -> rtError_t
        = allocated (dev_ptr, size, kind, next) with size knowing next, rtMallocCached;
    fn rtFree(dev_ptr: *mut c_void) -> rtError_t = freed (dev_ptr, next) with dev_ptr knowing next, rtFree;
    fn rtMallocHost(host_ptr: *mut *mut c_void, size: u64, module: u16) -> rtError_t
        = allocated_on_host (host_ptr, size, next) with size knowing next, rtMallocHost;
    fn rtFreeHost(host_ptr: *mut c_void) -> rtError_t = freed (host_ptr, next) with host_ptr knowing next, rtFreeHost;
    /// Waits for the device first.
    fn rtFreeWithDevSync(dev_ptr: *mut c_void) -> rtError_t = freed (dev_ptr, next) with dev_ptr knowing next, rtFreeWithDevSync;
    fn rtFreeHostWithDevSync(host_ptr: *mut c_void) -> rtError_t = freed (host_ptr, next) with host_ptr knowing next, rtFreeHostWithDevSync;
    fn rtsMalloc(dev_ptr: *mut *mut c_void, size: u64, policy: rtMallocPolicy, advice: rtMallocAdvise,
        config: *mut rtMallocConfig_t) -> rtError_t
        = allocated_for (dev_ptr, size, policy, advice, next) with size knowing next, rtsMalloc;
    fn rtMemAlloc(dev_ptr: *mut *mut c_void, size: u64, policy: rtMallocPolicy, advice: rtMallocAdvise,
        config: *mut rtMallocConfig_t) -> rtError_t
        = allocated_for (dev_ptr, size, policy, advice, next) with size knowing next, rtMemAlloc;
    fn rtsFree(dev_ptr: *mut c_void) -> rtError_t = freed (dev_ptr, next) with dev_ptr knowing next, rtsFree;
    fn rtsMallocHost(host_ptr: *mut *mut c_void, size: u64, config: *const rtMallocConfig_t) -> rtError_t
        = allocated_on_host (host_ptr, size, next) with size knowing next, rtsMallocHost;
    fn rtsFreeHost(host_ptr: *mut c_void) -> rtError_t = freed (host_ptr, next) with host_ptr knowing next, rtsFreeHost;
    fn rtStreamSynchronize(stream: rtStream_t) -> rtError_t = awaited [stream] (next) knowing next, rtStreamSynchronize;
    fn rtStreamSynchronizeWithTimeout(stream: rtStream_t, timeout: i32) -> rtError_t
        = awaited [stream] (next) knowing next, rtStreamSynchronizeWithTimeout;
    fn rtsStreamSynchronize(stream: rtStream_t, timeout: i32) -> rtError_t = awaited [stream] (next) knowing next, rtsStreamSynchronize;
    fn rtDeviceSynchronize() -> rtError_t = awaited [] (next) knowing next, rtDeviceSynchronize;
    fn rtDeviceSynchronizeWithTimeout(timeout: i32) -> rtError_t = awaited [] (next) knowing next, rtDeviceSynchronizeWithTimeout;
    fn rtsDeviceSynchronize(timeout: i32) -> rtError_t = awaited [] (next) knowing next, rtsDeviceSynchronize;
    fn rtEventSynchronize(event: rtEvent_t) -> rtError_t = awaited [event] (next) knowing next, rtEventSynchronize;
    fn rtEventSynchronizeWithTimeout(event: rtEvent_t, timeout: i32) -> rtError_t
        = awaited [event] (next) knowing next, rtEventSynchronizeWithTimeout;
    fn rtsEventSynchronize(event: rtEvent_t, timeout: i32) -> rtError_t = awaited [event] (next) knowing next, rtsEventSynchronize;
}

/// A wait, also CANN's own: completed work is completed. If CANN waits inside a call that is being forwarded, the wait belongs to that call;
/// in its other waits no guard is checked, since CANN may hold locks.
fn awaited<const N: usize>(
    hook: &Hook,
    forward: impl FnOnce() -> rtError_t,
    values: impl FnOnce(bool) -> [u64; N],
    definition: *const (),
) -> rtError_t {
    let is_internal = is_internal(hook, definition);
    if is_internal && ReentrancyGuard::is_forwarding() {
        return forward();
    }
    let status = exception::wait(hook, forward);
    exception::waited(hook, &values(status == 0), status, !is_internal);
    status
}

/// Memory kinds that a copy can reach: default, HBM, DDR, and the last two for peers. Other kinds belong to schedulers and the chip's own
/// CPU.
const ORDINARY: [u32; 5] = [0x0, 0x2, 0x4, 0x10, 0x11];

fn allocated(
    hook: &Hook,
    forward: impl Fn(u64) -> rtError_t + Copy,
    out: *mut *mut c_void,
    size: u64,
    kind: rtMemType_t,
    definition: *const (),
) -> rtError_t {
    let is_passed_on = !ORDINARY.contains(&(kind & 0xff)) || is_internal(hook, definition);
    allocate(hook, forward, request(out, size, kind), is_passed_on)
}

/// `RT_MEM_ADVISE_NONE`, `RT_MEM_ADVISE_CACHED`: the others are for media units and schedulers.
const PLAIN: [u32; 2] = [0, 3];

fn allocated_for(
    hook: &Hook,
    forward: impl Fn(u64) -> rtError_t + Copy,
    out: *mut *mut c_void,
    size: u64,
    policy: rtMallocPolicy,
    advice: rtMallocAdvise,
    definition: *const (),
) -> rtError_t {
    let is_passed_on = !PLAIN.contains(&advice) || is_internal(hook, definition);
    allocate(hook, forward, request(out, size, policy), is_passed_on)
}

fn allocated_on_host(
    hook: &Hook,
    forward: impl Fn(u64) -> rtError_t + Copy,
    out: *mut *mut c_void,
    size: u64,
    definition: *const (),
) -> rtError_t {
    let is_passed_on = is_internal(hook, definition);
    allocate(hook, forward, request(out, size, 0), is_passed_on)
}

fn allocate(
    hook: &Hook,
    forward: impl Fn(u64) -> rtError_t + Copy,
    request: Request,
    is_passed_on: bool,
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

/// A block of the program that CANN releases is released; what else it releases is its own.
fn freed(
    hook: &Hook,
    forward: impl FnOnce(*mut c_void) -> rtError_t,
    pointer: *mut c_void,
    definition: *const (),
) -> rtError_t {
    let live = &Process::current().heap.live;
    let is_known = matches!(live.place(pointer as u64), AddressInfo::Live(_, 0));
    if !is_known && is_internal(hook, definition) {
        return left_redzone::release(pointer, forward);
    }
    actions::freed(hook, forward, pointer)
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
