//! The function that the runtime calls when a task fails on the device. With `guard=page` what is known of the fault is told before it runs.

use super::entry;
use super::interpose;
use crate::abi::*;
use crate::heap::RecordEvents;
use crate::record::Hook;
use crate::runtime::next::{Interceptor, RuntimeFn};
use crate::state::process::Process;
use aclsan_options::Guard;
use aclsan_rules::fences::CALLBACK;
use aclsan_rules::functions;
use aclsan_unwind::registers;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed};

interpose! {
    fn aclrtSetExceptionInfoCallback(callback: aclrtExceptionInfoCallback) -> aclError = on_set;
}

type Function = unsafe extern "C-unwind" fn(*mut aclrtExceptionInfo);
type Getter = unsafe extern "C" fn(*const aclrtExceptionInfo) -> u32;

/// The program's function; kept when the runtime forgets it, since it may be about to call.
static PROGRAMS: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
/// Whether the runtime knows ours.
static IS_SET: AtomicBool = AtomicBool::new(false);

/// What is on record of a fault: its stream, task, thread and code. Then its device.
static GETTERS: [RuntimeFn; 5] = [
    RuntimeFn::new(c"aclrtGetStreamIdFromExceptionInfo"),
    RuntimeFn::new(c"aclrtGetTaskIdFromExceptionInfo"),
    RuntimeFn::new(c"aclrtGetThreadIdFromExceptionInfo"),
    RuntimeFn::new(c"aclrtGetErrorCodeFromExceptionInfo"),
    RuntimeFn::new(c"aclrtGetDeviceIdFromExceptionInfo"),
];

/// The runtime is given ours in place of the program's; that there is none, it is told as it is.
fn on_set(
    _hook: &Hook,
    next: aclrtSetExceptionInfoCallback::Fn,
    callback: aclrtExceptionInfoCallback,
) -> aclError {
    let is_wanted = Process::current().options.guard() == Guard::Page;
    // Found here: in the callback the runtime may hold what the loader waits for.
    let is_wanted = is_wanted && GETTERS.iter().all(|getter| getter.find().is_some());
    let Some(function) = callback.filter(|_| is_wanted) else {
        // SAFETY: the caller's own argument.
        let status = unsafe { next(callback) };
        if status == 0 {
            IS_SET.store(false, Relaxed);
        }
        return status;
    };
    let before = PROGRAMS.swap(function as *mut (), Relaxed);
    // SAFETY: the two types differ in that the program's function may throw through ours, as it may through the runtime.
    let ours = unsafe {
        std::mem::transmute::<Function, unsafe extern "C" fn(*mut aclrtExceptionInfo)>(on_fault)
    };
    // SAFETY: a function of the type that the header asks for, which stays.
    let status = unsafe { next(Some(ours)) };
    if status == 0 {
        IS_SET.store(true, Relaxed);
    } else {
        PROGRAMS.store(before, Relaxed);
    }
    status
}

/// Forwards a wait, in which the runtime may call the program's function: what that does counts, and the fault is told first.
#[inline(always)]
pub(super) fn wait<T>(hook: &Hook, forward: impl FnOnce() -> T) -> T {
    if IS_SET.load(Relaxed) {
        hook.allow_callbacks(forward)
    } else {
        forward()
    }
}

/// What the runtime calls.
unsafe extern "C-unwind" fn on_fault(info: *mut aclrtExceptionInfo) {
    static ROW: Interceptor = Interceptor::unforwarded(functions::number(CALLBACK));
    if let Some(hook) = entry::enter(&ROW, registers::here()) {
        tell(&hook, info);
    }
    let function = PROGRAMS.load(Relaxed);
    if !function.is_null() {
        // SAFETY: what the program has given for a function of this type.
        let function = unsafe { std::mem::transmute::<*mut (), Function>(function) };
        // SAFETY: the runtime's own argument.
        unsafe { function(info) };
    }
}

/// Asks the runtime for nothing but what `info` says: it may hold its locks.
fn tell(hook: &Hook, info: *mut aclrtExceptionInfo) {
    let [stream, task, thread, code, device] = GETTERS.each_ref().map(|getter| {
        getter.find().map_or(u32::MAX, |getter| {
            // SAFETY: the runtime's own definition, of this type by the header.
            let getter = unsafe { std::mem::transmute::<*const (), Getter>(getter) };
            // SAFETY: what the runtime has just called us with.
            unsafe { getter(info) }
        })
    });
    hook.record(|recorder| {
        let call = recorder.call_on(device as i32, 0);
        recorder.define_status(code as i32);
        let values = [stream, task, thread, code].map(u64::from);
        recorder.finish_call(&call, &values, 0);
    });
}
