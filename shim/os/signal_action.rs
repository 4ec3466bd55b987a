//! Actions of signals, by glibc's own function: the name `sigaction` may be the program's or our companion's.

use std::ffi::c_int;
use std::mem::MaybeUninit;

unsafe extern "C" {
    fn __sigaction(
        signal: c_int,
        action: *const libc::sigaction,
        before: *mut libc::sigaction,
    ) -> c_int;
}

/// The action of a signal; `None` if there is no such signal.
pub fn current(signal: c_int) -> Option<libc::sigaction> {
    let mut now = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: asks, and writes to our own variable.
    let answer = unsafe { __sigaction(signal, std::ptr::null(), now.as_mut_ptr()) };
    // SAFETY: all-zero is a valid value of every field.
    (answer == 0).then(|| unsafe { now.assume_init() })
}

/// Sets the action of a signal, whose handler must have the type that its flags say, and stay loaded. Returns whether that worked.
pub fn set(signal: c_int, action: &libc::sigaction) -> bool {
    // SAFETY: a valid action, whose handler the caller answers for; the old one is not wanted.
    (unsafe { __sigaction(signal, action, std::ptr::null_mut()) }) == 0
}

/// An action with these flags, during which all signals are blocked.
pub fn blocking_all(handler: usize, flags: c_int) -> libc::sigaction {
    // SAFETY: all-zero is a valid value of every field.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler;
    action.sa_flags = flags;
    // SAFETY: our own set.
    unsafe { libc::sigfillset(&mut action.sa_mask) };
    action
}
