//! The one way in which the shim itself calls the runtime.
//!
//! Meanwhile the thread is inside a hook and cannot be cancelled, an exception ends here, and `errno` stays as it was. A cancellation or an exception
//! that went on would meet `catch_unwind`, which ends the process for what is no panic.

use super::caught::caught;
use crate::state::reentrancy::OwnCall;
use aclsan_os::cancel::CancelGuard;
use std::ffi::c_void;

/// Makes a call; `None` if it throws.
pub fn call<C: FnOnce() -> R, R>(call: C) -> Option<R> {
    let _inside = OwnCall::enter();
    let _uncancelled = CancelGuard::enter();
    let mut run = Run {
        call: Some(call),
        returned: None,
    };
    // SAFETY: `make` of the same types, and the value that it takes.
    unsafe { caught(make::<C, R>, (&raw mut run).cast()) };
    run.returned
}

struct Run<C, R> {
    call: Option<C>,
    returned: Option<R>,
}

/// # Safety
/// `run` is a `Run` of these types.
unsafe extern "C-unwind" fn make<C: FnOnce() -> R, R>(run: *mut c_void) {
    // SAFETY: the caller's promise.
    let run = unsafe { &mut *run.cast::<Run<C, R>>() };
    run.returned = run.call.take().map(|call| call());
}
