//! The exception callback, which the runtime calls when a task fails on the device. With `guard=page`, what is known of the fault is
//! reported before the program's callback runs.

use crate::abi::*;
use crate::calls::actions::recorded;
use crate::calls::entry;
use crate::calls::interpose;
use crate::heap::{finish_call, record_call, redzone_check};
use crate::record::Hook;
use crate::runtime::next::Interceptor;
use crate::runtime::slots::{self, Getter};
use crate::state::process::Process;
use aclsan_log::Values;
use aclsan_options::Guard;
use aclsan_rules::api::functions;
use aclsan_unwind::registers;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed};

interpose! {
    fn aclrtSetExceptionInfoCallback(callback: aclrtExceptionInfoCallback) -> aclError = replaced (callback) with callback;
    /// Recorded only: with several callbacks, which of them should wait for ours is not known.
    fn aclrtExceptionInfoCallbackRegister(callback: aclrtExceptionInfoCallback) -> aclError = recorded [callback];
    fn aclrtExceptionInfoCallbackUnregister(callback: aclrtExceptionInfoCallback) -> aclError = recorded [callback];
}

type Function = unsafe extern "C-unwind" fn(*mut aclrtExceptionInfo);

/// The program's callback. Kept after the runtime drops it, since a call may already be on its way.
static PROGRAMS: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
/// Whether our callback is registered.
static IS_SET: AtomicBool = AtomicBool::new(false);

/// Getters of the recorded facts of a fault: stream, task, thread and code. Then its device.
static GETTERS: [&Getter<aclrtExceptionInfo, u32>; 5] = [
    &slots::EXCEPTION_STREAM,
    &slots::EXCEPTION_TASK,
    &slots::EXCEPTION_THREAD,
    &slots::EXCEPTION_CODE,
    &slots::EXCEPTION_DEVICE,
];

/// Our callback is registered in place of the program's. A null callback is passed on as it is.
fn replaced(
    _hook: &Hook,
    forward: impl Fn(aclrtExceptionInfoCallback) -> aclError,
    callback: aclrtExceptionInfoCallback,
) -> aclError {
    let is_wanted = Process::current().options.guard() == Guard::Page;
    // Looked up here: during the callback, the runtime may hold a lock that the loader waits for.
    let is_wanted = is_wanted && GETTERS.iter().all(|getter| getter.is_defined());
    let Some(function) = callback.filter(|_| is_wanted) else {
        let status = forward(callback);
        if status == 0 {
            IS_SET.store(false, Relaxed);
        }
        return status;
    };
    let before = PROGRAMS.swap(function as *mut (), Relaxed);
    // SAFETY: the types differ only in that the program's callback may throw through ours, as it may through the runtime.
    let ours = unsafe {
        std::mem::transmute::<Function, unsafe extern "C" fn(*mut aclrtExceptionInfo)>(on_fault)
    };
    let status = forward(Some(ours));
    if status == 0 {
        IS_SET.store(true, Relaxed);
    } else {
        PROGRAMS.store(before, Relaxed);
    }
    status
}

/// Forwards a wait, then records it: work is complete, and guards may be checked.
pub(super) fn awaited<const N: usize>(
    hook: &Hook,
    forward: impl FnOnce() -> i32,
    values: impl FnOnce(bool) -> [u64; N],
) -> i32 {
    let status = wait(hook, forward);
    waited(hook, &values(status == 0), status, true);
    status
}

/// Records a wait that has returned, and checks guards if they `may_be_checked`.
pub(super) fn waited(hook: &Hook, values: &[u64], status: i32, may_be_checked: bool) {
    hook.record(|recorder| {
        redzone_check::check_before_report(recorder, status);
        let call = record_call(recorder, 0, values, status);
        if status == 0 && may_be_checked {
            redzone_check::check_after_sync(recorder, &call);
        }
    });
}

/// Forwards a wait during which the runtime may call the program's callback: hooks entered there are recorded, and the fault is reported
/// first.
#[inline(always)]
pub(super) fn wait<T>(hook: &Hook, forward: impl FnOnce() -> T) -> T {
    if IS_SET.load(Relaxed) {
        hook.allow_callbacks(forward)
    } else {
        forward()
    }
}

/// The callback that is registered.
unsafe extern "C-unwind" fn on_fault(info: *mut aclrtExceptionInfo) {
    static ROW: Interceptor =
        Interceptor::unforwarded(functions::number("aclrtSetExceptionInfoCallback"));
    if let Some(hook) = entry::enter(&ROW, registers::here()) {
        tell(&hook, info);
    }
    let function = PROGRAMS.load(Relaxed);
    if !function.is_null() {
        // SAFETY: the program registered it as a function of this type.
        let function = unsafe { std::mem::transmute::<*mut (), Function>(function) };
        // SAFETY: the runtime's own argument.
        unsafe { function(info) };
    }
}

/// Queries the runtime for nothing except fields of `info`: it may hold its locks.
fn tell(hook: &Hook, info: *mut aclrtExceptionInfo) {
    let [stream, task, thread, code, device] = GETTERS.map(|getter| {
        let field = getter.call(|get| get(info));
        field.unwrap_or(u32::MAX)
    });
    hook.record(|recorder| {
        let call = recorder.call_on(device as i32, 0);
        recorder.define_status(code as i32);
        let values = Values::of([stream, task, thread, code].map(u64::from));
        finish_call(recorder, &call, &values, 0);
    });
}
